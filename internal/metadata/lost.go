package metadata

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// lostWarning returns a warning that names what is lost: the parts of m that files of other formats cannot hold, and
// the PNG chunks of the kinds in colours. It returns "" if nothing is lost.
func (m Metadata) lostWarning(colours []string) string {
	var names, keywords []string
	if len(colours) > 0 {
		names = []string{enumerate(colours) + " colour description"}
	}
	for _, p := range m.Own {
		name := p.name()
		switch {
		case name == "" || m.IPTC != nil && p.hasIPTC(): // not lost: in a profile, or in m.IPTC
		case name == textChunk:
			keywords = addOnce(keywords, p.keyword())
		default:
			names = addOnce(names, name)
		}
	}
	plural := len(names) > 1 || len(keywords) > 1
	if len(keywords) > 0 {
		const most = 8 // keywords in the warning
		more := max(len(keywords)-most, 0)
		s := "s"[:min(len(keywords)-1, 1)] // none for one keyword
		text := textChunk + s + " " + enumerate(keywords[:len(keywords)-more])
		if more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		plural = plural || len(names) > 0
		names = append(names, text)
	}
	if len(names) == 0 {
		return ""
	}
	verb := "is"
	if plural {
		verb = "are"
	}
	return fmt.Sprintf("its %s %s left out: only %s has such", enumerate(names), verb, strings.ToUpper(m.Format))
}

// textChunk is the result of Part.name for a text of a PNG.
const textChunk = "text chunk"

// name returns the name of a part for a warning. It is "" for colours, which other formats express with an ICC profile,
// and for the segment that announces a gain map.
func (p Part) name() string {
	switch p.Kind {
	case "tEXt", "zTXt", "iTXt":
		return textChunk
	case "mDCV", "mDCv":
		return "mDCV mastering display"
	case "cLLI", "cLLi":
		return "cLLI light levels"
	case "sBIT":
		return "sBIT significant bits"
	}
	switch p.Marker {
	case markerComment:
		return "comment"
	case markerApp13:
		return "Photoshop segment"
	case markerApp1:
		return "extended XMP"
	}
	return ""
}

// keyword returns the keyword of a PNG text in quotes. p.Data begins with the keyword in Latin-1.
func (p Part) keyword() string {
	word, _, _ := bytes.Cut(p.Data[:min(len(p.Data), 80)], []byte{0})
	var runes []rune
	for _, b := range word {
		runes = append(runes, rune(b))
	}
	return fmt.Sprintf("%q", string(runes))
}

func addOnce(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// enumerate returns words, at least one, as "a, b and c".
func enumerate(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
