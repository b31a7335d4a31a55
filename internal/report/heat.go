package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// Heat is a map of shares over two axes of steps: a cell with a larger share is darker, and shows the share in percent.
type Heat struct {
	Title, X, Y string
	// Columns are the labels of the steps from left to right, and Rows from bottom to top.
	Columns, Rows []string
	// Shares holds Shares[row][column], 0 to 1. NaN leaves a cell empty.
	Shares [][]float64
}

// table returns the map as a table, in percent, with the highest row first.
func (h Heat) table() Table {
	t := Table{Title: h.Title + " in percent", Head: append([]string{h.Y + ", " + h.X}, h.Columns...)}
	for r := range slices.Backward(h.Rows) {
		row := []Cell{{Text: h.Rows[r]}}
		for _, share := range h.Shares[r] {
			row = append(row, Cell{Text: Number("%.0f", 100*share)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// The colours for a share of 0 and for a share of 1, in red, green and blue.
var coldest, hottest = [3]float64{246, 240, 220}, [3]float64{8, 64, 129}

// Figure returns the map as a picture, with cells of the given width and height in points.
func (h Heat) Figure(width, height float64) HTML {
	longest := 0
	for _, label := range h.Rows {
		longest = max(longest, len([]rune(label)))
	}
	left := lineHeight(h.Y) + gap + letter*tickSize*float64(longest) + gap
	top := lineHeight(h.Title) + gap
	w, rows := width*float64(len(h.Columns)), float64(len(h.Rows))
	right, bottom := left+w, top+height*rows
	total := bottom + tickSize + 2*gap + lineHeight(h.X)
	var b strings.Builder
	fmt.Fprintf(&b, `<figure class="heat"><svg width="%gpt" height="%gpt" viewBox="0 0 %g %g" font-size="%d" `+
		`fill="currentColor" role="img" aria-label="%s">`+"\n", right+gap, total, right+gap, total, tickSize,
		template.HTMLEscapeString("Map: "+h.Title+", over "+h.X+" and "+h.Y))
	writeLine(&b, h.Title, fmt.Sprintf(`x="%.2f" y="%d"`, (left+right)/2, wordSize))
	writeLine(&b, h.X, fmt.Sprintf(`x="%.2f" y="%.2f"`, (left+right)/2, total-gap))
	writeLine(&b, h.Y, fmt.Sprintf(`transform="translate(%d %.2f) rotate(-90)"`, wordSize, (top+bottom)/2))
	text := func(anchor string, x, y float64, fill, text string) {
		fmt.Fprintf(&b, `<text text-anchor="%s" x="%.2f" y="%.2f" style="fill:%s">%s</text>`+"\n", anchor, x,
			y+0.35*tickSize, fill, template.HTMLEscapeString(text)) // 0.35: from the middle to the baseline
	}
	for r, label := range h.Rows {
		y := bottom - height*float64(r+1)
		text("end", left-gap, y+height/2, "currentColor", label)
		for c := range h.Columns {
			share := h.Shares[r][c]
			if math.IsNaN(share) {
				continue
			}
			var mix [3]int
			for i := range mix {
				mix[i] = int(math.Round(coldest[i] + share*(hottest[i]-coldest[i])))
			}
			x := left + width*float64(c)
			fmt.Fprintf(&b, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="#%02x%02x%02x"/>`+"\n", x, y,
				width, height, mix[0], mix[1], mix[2])
			fill := "#111"
			if share > 0.5 {
				fill = "#fff"
			}
			text("middle", x+width/2, y+height/2, fill, fmt.Sprintf("%.0f", 100*share))
		}
	}
	for c, label := range h.Columns {
		text("middle", left+width*(float64(c)+0.5), bottom+gap+tickSize/2, "currentColor", label)
	}
	b.WriteString("</svg></figure>")
	return HTML(b.String())
}
