package report

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html/template"
	"image"
	"image/png"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// Table is a table of text. The first column names the row.
type Table struct {
	Title string
	// Caption is further text for LaTeX, where the table stands alone; it says, for example, that figures are means.
	Caption string
	Head    []string
	Rows    [][]Cell
}

// Cell is an entry in a table. Best marks the best cell of a row, which is emphasised.
type Cell struct {
	Text    string
	Note    string // smaller text below Text
	Mark    string // a sentence below the table; a number links it to the cell
	Best    bool
	Picture HTML // above the text; shown only on pages
}

// Marks returns the marks in all cells, each once, in the order of the cells.
func (t Table) Marks() (list []string) {
	for _, row := range t.Rows {
		for _, c := range row {
			if c.Mark != "" && !slices.Contains(list, c.Mark) {
				list = append(list, c.Mark)
			}
		}
	}
	return list
}

// Number returns the number of a mark, from 1, or "" for no mark.
func (t Table) Number(mark string) string {
	if mark == "" {
		return ""
	}
	return strconv.Itoa(slices.Index(t.Marks(), mark) + 1)
}

// form says how an output format writes cells.
type form struct {
	escape     func(string) string
	best, mark [2]string // the texts around the best cell of a row, and around the number of a mark
}

// texts returns the head and the rows as the form f writes them: escaped, with best cells and numbers of marks.
func (t Table) texts(f form) (rows [][]string) {
	var head []string
	for _, h := range t.Head {
		head = append(head, f.escape(h))
	}
	rows = append(rows, head)
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			text := f.escape(c.Text)
			if c.Best {
				text = f.best[0] + text + f.best[1]
			}
			if c.Mark != "" {
				text += f.number(t.Number(c.Mark))
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	return rows
}

// number returns the number of a mark as superscript: inside f.mark or, if that is empty, in superscript digits.
func (f form) number(n string) string {
	if f.mark[0] == "" {
		return superscripts.Replace(n)
	}
	return f.mark[0] + n + f.mark[1]
}

// legend returns a line for each mark, with the number and the text of the mark; before and after enclose each line.
func (t Table) legend(f form, before, after string) string {
	text := ""
	for i, mark := range t.Marks() {
		text += before + f.number(strconv.Itoa(i+1)) + " " + f.escape(mark) + after
	}
	return text
}

// Text writes the table for a terminal, with the title in place of the first head, the note of the first cell of a row
// after the row, and the marks at the end. A table wider than 100 letters is transposed if this makes it narrower.
func (t Table) Text(w io.Writer) error {
	const widest = 100
	if t.letters() > widest {
		t = t.narrower()
	}
	f := form{escape: safefile.OneLine}
	if t.Title != "" {
		t.Head = append([]string{t.Title}, t.Head[1:]...)
	}
	tab := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab)
	for i, row := range t.texts(f) {
		note := ""
		if i > 0 && t.Rows[i-1][0].Note != "" {
			note = "   " + f.escape(t.Rows[i-1][0].Note)
		}
		fmt.Fprintln(tab, strings.Join(row, "\t")+"\t"+note)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, t.legend(f, "", "\n"))
	return err
}

// transposed returns the table with rows and columns exchanged, or unchanged if the first column has a mark.
func (t Table) transposed() Table {
	out := Table{Title: t.Title, Caption: t.Caption, Head: []string{t.Head[0]}}
	for _, row := range t.Rows {
		out.Head = append(out.Head, row[0].Text)
		if row[0].Mark != "" {
			return t // a head has no marks
		}
	}
	for c := 1; c < len(t.Head); c++ {
		row := []Cell{{Text: t.Head[c]}}
		for _, from := range t.Rows {
			row = append(row, from[c])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// letters returns the width of the table in letters, without the space between columns.
func (t Table) letters() (sum int) {
	for c, head := range t.Head {
		longest := utf8.RuneCountInString(head)
		for _, row := range t.Rows {
			longest = max(longest, utf8.RuneCountInString(row[c].Text))
		}
		sum += longest
	}
	return sum
}

// narrower returns the table, with rows and columns exchanged if this makes it narrower.
func (t Table) narrower() Table {
	if other := t.transposed(); len(t.Rows) > 0 && other.letters() < t.letters() {
		return other
	}
	return t
}

// LaTeX writes the table for the packages booktabs and graphicx, with the best cells in bold. Rows and columns are
// exchanged if that makes the table narrower. A table wider than a column of the page is scaled down.
func (t Table) LaTeX(w io.Writer) error {
	t = t.narrower()
	escape := strings.NewReplacer(
		`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`, "×", `$\times$`, "−", "$-$", "·", `$\cdot$`,
		"–", "--", "‖", `$\|$`, "²", "$^2$", "Î", `$\hat I$`, "σ", `$\sigma$`, "|", `$|$`, "<", "$<$", ">", "$>$")
	var b strings.Builder
	caption := strings.TrimSuffix(t.Title, ".")
	if t.Caption != "" {
		caption += ". " + t.Caption
	}
	fmt.Fprintf(&b, "\\begin{table}\n\\caption{%s}\n", escape.Replace(caption))
	b.WriteString("\\resizebox{\\ifdim\\width>\\columnwidth\\columnwidth\\else\\width\\fi}{!}{%\n")
	fmt.Fprintf(&b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", max(0, len(t.Head)-1)))
	f := form{escape: escape.Replace, best: [2]string{`\textbf{`, "}"}, mark: [2]string{`\textsuperscript{`, "}"}}
	for i, row := range t.texts(f) {
		fmt.Fprintf(&b, "%s \\\\\n", strings.Join(row, " & "))
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	_, err := io.WriteString(w, b.String()+"\\bottomrule\n\\end{tabular}}\n"+
		t.legend(f, "\\par\\footnotesize ", "\n")+"\\end{table}\n\n")
	return err
}

// CSV writes the text of the table without notes, with an apostrophe before text that spreadsheets take for formulas.
func (t Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{t.Head}
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, plain(c.Text))
		}
		rows = append(rows, cells)
	}
	return out.WriteAll(rows)
}

// plain returns text, with an apostrophe before it if it begins like a formula and is no number.
func plain(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil && text != "" &&
		strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// PNG returns img encoded as a PNG, for Picture or to be stored.
func PNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := imagefile.Encode(&b, img, "png", imagefile.EncodeOptions{})
	return b.Bytes(), err
}

// Picture returns an encoded PNG, shown width pixels wide, with sharp edges between the pixels.
func Picture(data []byte, width int, name string) HTML { return img(data, width, name, "") }

// Restored is Picture for a picture of scene that maker, such as a model, has restored: a PNG, shown width pixels
// wide. Readers of the page can lay the pictures of one scene in a section over one another.
func Restored(data []byte, width int, scene, maker string) HTML {
	return img(data, width, scene+" by "+maker, fmt.Sprintf(` data-scene="%s" data-by="%s"`,
		template.HTMLEscapeString(scene), template.HTMLEscapeString(maker)))
}

func img(data []byte, width int, alt, attributes string) HTML {
	return HTML(fmt.Sprintf(`<img class="pixels" width="%d" alt="%s"%s src="data:image/png;base64,%s">`,
		width, template.HTMLEscapeString(alt), attributes, base64.StdEncoding.EncodeToString(data)))
}

// Figure is Restored at zoom times the size of the picture, with the maker's name and a smaller note below.
func Figure(data []byte, zoom int, scene, by, note string) HTML {
	width := 0
	if cfg, err := png.DecodeConfig(bytes.NewReader(data)); err == nil {
		width = zoom * cfg.Width
	}
	return Captioned(Restored(data, width, scene, by), by, note)
}

// Captioned returns a picture with a name and a smaller note below.
func Captioned(picture HTML, name, note string) HTML {
	return HTML(fmt.Sprintf("<figure>%s<figcaption>%s<small>%s</small></figcaption></figure>", picture,
		template.HTMLEscapeString(name), template.HTMLEscapeString(note)))
}
