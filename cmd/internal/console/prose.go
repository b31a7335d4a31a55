package console

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Columns is the width, in characters, of the lines of help.
const Columns = 80

// Paragraph is a part of the Description of a command.
type Paragraph struct {
	Kind
	Lines []string
}

// Kind is a kind of Paragraph.
type Kind int

const (
	// Prose is text that may be broken into other lines.
	Prose Kind = iota
	// Examples are indented: in each line a command and, after two spaces or more, a remark.
	Examples
	// Heading is a line in capitals above the paragraphs that it heads.
	Heading
)

// Paragraphs returns the parts of description: lines that begin with a space are examples, lines without lower-case
// letters are headings, others are prose. Blank lines end a part.
func Paragraphs(description string) (list []Paragraph) {
	open := false // the last paragraph continues
	for line := range strings.SplitSeq(description, "\n") {
		kind := Prose
		switch {
		case strings.TrimSpace(line) == "":
			open = false
			continue
		case strings.HasPrefix(line, " "):
			kind = Examples
		case strings.ToUpper(line) == line:
			kind = Heading
		}
		if !open || list[len(list)-1].Kind != kind {
			list = append(list, Paragraph{Kind: kind})
		}
		last := &list[len(list)-1]
		last.Lines, open = append(last.Lines, line), true
	}
	return list
}

// Fit returns p as lines of at most width columns, unless a word is longer. Prose and headings are wrapped again. If
// any example is too long, all remarks start in the column for which the examples take the fewest lines, and a long
// command continues in the next line after a backslash.
func (p Paragraph) Fit(width int) (best []string) {
	switch {
	case p.Kind != Examples:
		return fill(strings.Join(p.Lines, " "), "", width)
	case !slices.ContainsFunc(p.Lines, func(line string) bool { return utf8.RuneCountInString(line) > width }):
		return p.Lines
	}
	const leftmost, narrowest = 20, 24 // least column in which remarks start, and least width of remarks
	list := p.examples()
	for column := leftmost; column <= width-narrowest; column++ {
		if lines := fitExamples(list, column, width); best == nil || len(lines) < len(best) {
			best = lines
		}
	}
	return best
}

// fitExamples returns the examples in list as lines of at most width columns, with the remarks in the given column. A
// remark begins in the last line of its command, or in the next line if the command reaches too far.
func fitExamples(list []example, column, width int) (lines []string) {
	const indent, gap = "   ", 2
	for _, e := range list {
		command := fill(e.command, indent, width-len(` \`))
		for i := 1; i < len(command); i++ {
			command[i-1] += ` \`
			command[i] = indent + command[i]
		}
		lines = append(lines, command...)
		if e.remark == "" {
			continue
		}
		remark := fill(e.remark, strings.Repeat(" ", column), width)
		last := &lines[len(lines)-1]
		if room := column - utf8.RuneCountInString(*last); room >= gap {
			*last += remark[0][column-room:] // the line begins with column spaces
			remark = remark[1:]
		}
		lines = append(lines, remark...)
	}
	return lines
}

// example is a command and a remark about it, which may be empty.
type example struct{ command, remark string }

// examples returns the examples of p: a command, two spaces, and a remark, which lines with a large indent continue.
func (p Paragraph) examples() (list []example) {
	const far = 16 // spaces of a large indent
	for _, line := range p.Lines {
		text := strings.TrimLeft(line, " ")
		if n := len(list); n > 0 && len(line)-len(text) >= far {
			list[n-1].remark = strings.TrimSpace(list[n-1].remark + " " + text)
			continue
		}
		command, remark, _ := strings.Cut(text, "  ")
		list = append(list, example{command, strings.TrimSpace(remark)})
	}
	return list
}

// fill returns the words of text in lines that begin with indent and have at most width columns.
func fill(text, indent string, width int) (lines []string) {
	line, words := indent, 0 // words is the number of words in line
	for word := range strings.FieldsSeq(text) {
		if words > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line, words = append(lines, line), indent, 0
		}
		if words++; words > 1 {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// filled returns the Description of a command with its paragraphs in lines of at most width columns.
func filled(description string, width int) string {
	var parts []string
	for _, p := range Paragraphs(description) {
		parts = append(parts, strings.Join(p.Fit(width), "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// sectioned returns list as text in lines of at most width columns. It indents prose, and keeps the indent of examples.
func sectioned(list []Paragraph, width int) string {
	const indent = "   "
	var b strings.Builder
	for i, p := range list {
		lines, before := p.Fit(width), indent
		switch p.Kind {
		case Heading:
			before = ""
		case Prose:
			lines = p.Fit(width - len(indent))
		case Examples:
			before = "" // examples are indented already
		}
		if i == 0 || list[i-1].Kind != Heading { // no empty line below a heading
			b.WriteString("\n")
		}
		for _, line := range lines {
			b.WriteString(before + line + "\n")
		}
	}
	return b.String()
}
