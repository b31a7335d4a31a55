package metadata

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// An XMP packet is RDF in XML. Values that change are replaced in place, and all other bytes stay as they are.

// The namespaces of the properties that this package changes.
const (
	spaceRDF       = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	spaceTIFF      = "http://ns.adobe.com/tiff/1.0/"
	spaceEXIF      = "http://ns.adobe.com/exif/1.0/"
	spaceNote      = "http://ns.adobe.com/xmp/note/"
	spaceGainMap   = "http://ns.adobe.com/hdr-gain-map/1.0/"
	spaceContainer = "http://ns.google.com/photos/1.0/container/"
	spaceItem      = "http://ns.google.com/photos/1.0/container/item/"
	spaceCamera    = "http://ns.google.com/photos/1.0/camera/"
	spacePanorama  = "http://ns.google.com/photos/1.0/panorama/"
)

// property is a property in an XMP packet, either an XML attribute or an element.
type property struct {
	space, name string
	start, end  int // offsets of the whole property; for an attribute, with the space before it
	from, to    int // offsets of the value; 0, 0: an element without content
	item        int // the item of the Container directory that has the property, from 0; -1: none
}

// packet is a parsed XMP packet.
type packet struct {
	text       []byte
	properties []property
	items      []property // of the Container directory
}

// The limits on a packet that can be changed. A usual packet has a few dozen properties, four levels deep, in a few
// thousand bytes. An attribute of 5 bytes takes 64 bytes of memory while the packet is parsed.
const (
	mostPacket     = 1 << 20
	mostDepth      = 100
	mostBindings   = 1000
	mostProperties = 10_000
)

// errXMP is the error for a packet that is not valid XML, or exceeds the limits.
var errXMP = errors.New("metadata: an XMP packet that is no XML")

// contains reports whether b contains one of texts. A packet without the name of a namespace has no properties of it.
func contains(b []byte, texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return bytes.Contains(b, []byte(s)) })
}

// parseXMP finds the properties of the given namespaces in a packet. p shares the memory of text. The error is errXMP.
func parseXMP(text []byte, spaces ...string) (p packet, err error) {
	type binding struct{ prefix, space string }
	type level struct {
		property
		bindings int // number of namespace bindings outside of the element
		list     int // levels of the element below the Container directory; -1: outside it
	}
	if p.text = text; len(text) > mostPacket {
		return p, errXMP
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // the text is known to be UTF-8
	var bindings []binding
	var levels []level
	item := -1
	resolve := func(prefix string) string {
		for i := len(bindings) - 1; i >= 0; i-- {
			if bindings[i].prefix == prefix {
				return bindings[i].space
			}
		}
		return ""
	}
	for {
		start := int(d.InputOffset())
		token, err := d.RawToken()
		end := int(d.InputOffset())
		if err == io.EOF && len(levels) == 0 {
			return p, nil
		}
		if err != nil || len(levels) > mostDepth || len(bindings) > mostBindings || len(p.properties) > mostProperties {
			return p, errXMP
		}
		switch token := token.(type) {
		case xml.StartElement:
			l := level{property: property{start: start, from: end, item: -1}, bindings: len(bindings), list: -1}
			for _, a := range token.Attr {
				if a.Name.Space == "xmlns" {
					bindings = append(bindings, binding{a.Name.Local, a.Value})
				}
			}
			l.space, l.name = resolve(token.Name.Space), token.Name.Local
			if n := len(levels); n > 0 && levels[n-1].list >= 0 {
				l.list = levels[n-1].list + 1
			} else if l.space == spaceContainer && l.name == "Directory" {
				l.list = 0
			}
			if l.list == 2 && l.space == spaceRDF && l.name == "li" { // an item in the directory's list
				item = len(p.items)
				p.items = append(p.items, property{item: item})
			}
			l.item = item
			levels = append(levels, l)
			attributes(text[start:end], func(name string, at, from, to int) {
				prefix, local, _ := strings.Cut(name, ":")
				if space := resolve(prefix); slices.Contains(spaces, space) {
					p.properties = append(p.properties, property{space, local, start + at, start + to + 1, start + from,
						start + to, item})
				}
			})
		case xml.EndElement:
			if len(levels) == 0 {
				return p, errXMP
			}
			l := levels[len(levels)-1]
			levels, bindings = levels[:len(levels)-1], bindings[:l.bindings]
			if l.property.end, l.to = end, start; start == end {
				l.from, l.to = 0, 0 // an element without content, such as <a/>
			}
			if l.list == 2 && item >= 0 {
				p.items[item], item = l.property, -1
			}
			if slices.Contains(spaces, l.space) {
				p.properties = append(p.properties, l.property)
			}
		}
	}
}

// attributes calls visit for each attribute in tag, the start tag of an element in valid XML. at is the offset of the
// space before the name. The value, without its quotes, is tag[from:to]. attributes stops where tag is no valid XML.
func attributes(tag []byte, visit func(name string, at, from, to int)) {
	const space = " \t\r\n"
	for at := bytes.IndexAny(tag, space); at >= 0; {
		rest := bytes.TrimLeft(tag[at:], space)
		name := len(tag) - len(rest)
		equals := bytes.IndexByte(rest, '=')
		if equals < 0 {
			return
		}
		value := name + equals + 1
		from := value + bytes.IndexAny(tag[value:], `"'`) + 1
		if from == value {
			return
		}
		n := bytes.IndexByte(tag[from:], tag[from-1])
		if n < 0 {
			return
		}
		visit(string(bytes.TrimRight(tag[name:name+equals], space)), at, from, from+n)
		at = from + n + 1
	}
}

// value returns the value of a property without surrounding space, or "" where it has none.
func (p packet) value(of property) string { return strings.TrimSpace(string(p.text[of.from:of.to])) }

// number returns the value of the property that find finds. ok is false unless it is an integer of 0 to 2⁶²−1.
func (p packet) number(space, name string, item int) (n int64, ok bool) {
	of, ok := p.find(space, name, item)
	if ok {
		n, ok = p.wholeNumber(of)
	}
	return n, ok
}

// wholeNumber returns the value of a property. ok is false if it is not an integer of 0 to 2⁶²−1.
func (p packet) wholeNumber(of property) (n int64, ok bool) {
	n, err := strconv.ParseInt(p.value(of), 10, 63)
	return n, err == nil && n >= 0
}

// find returns the first property of this name in an item of the Container directory or, if item is -1, outside.
func (p packet) find(space, name string, item int) (_ property, ok bool) {
	i := slices.IndexFunc(p.properties, func(q property) bool {
		return q.space == space && q.name == name && q.item == item
	})
	if i < 0 {
		return property{}, false
	}
	return p.properties[i], true
}

// kind returns the property Semantic of an item of the Container directory, such as Primary or GainMap.
func (p packet) kind(item int) string {
	of, _ := p.find(spaceItem, "Semantic", item)
	return p.value(of)
}

// change replaces the bytes [from, to) of a packet by text.
type change struct {
	from, to int
	text     string
}

// set returns the change that sets the value of a property to n, or nil where nothing changes or there is no value.
func (p packet) set(of property, n int64) []change {
	if text := strconv.FormatInt(n, 10); of.to > 0 && p.value(of) != text {
		return []change{{of.from, of.to, text}}
	}
	return nil
}

func remove(of property) change { return change{of.start, of.end, ""} }

// applyChanges returns the packet with changes, in new memory, or the packet itself where there are none. A change that
// begins inside another change is left out.
func (p packet) applyChanges(changes []change) []byte {
	if len(changes) == 0 {
		return p.text
	}
	slices.SortStableFunc(changes, func(a, b change) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, c := range changes {
		if c.from >= at {
			out = append(append(out, p.text[at:c.from]...), c.text...)
			at = c.to
		}
	}
	return append(out, p.text[at:]...)
}

// uprightXMP sets the orientation in b, an XMP packet, to 1, be it an attribute or an element. Its length stays.
func uprightXMP(b []byte) {
	for _, start := range []string{`tiff:Orientation="`, `tiff:Orientation='`, "<tiff:Orientation>"} {
		for at := 0; ; {
			i := bytes.Index(b[at:], []byte(start))
			if i < 0 {
				break
			}
			at += i + len(start)
			if at < len(b) && '2' <= b[at] && b[at] <= '8' {
				b[at] = '1'
			}
		}
	}
}
