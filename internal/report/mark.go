package report

import "fmt"

// palette tells series apart, also for the colour-blind (after Okabe and Ito). The last but one
// is that of the text, on a dark page too.
var palette = []string{"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "currentColor", "#999999"}

// marks draw a mark around 0: filled, then not.
var marks = []string{
	`<circle r="3" fill="%s"/>`, `<rect x="-2.7" y="-2.7" width="5.4" height="5.4" fill="%s"/>`,
	`<path d="M-3.2 2.6h6.4L0 -3.4z" fill="%s"/>`,
	`<circle r="2.7" fill="none" stroke="%s"/>`, `<path d="M-2.5 -2.5h5v5h-5z" fill="none" stroke="%s"/>`,
	`<path d="M-3 2.4h6L0 -3.2z" fill="none" stroke="%s"/>`,
	`<path d="M-2.4 -2.4l4.8 4.8m0 -4.8l-4.8 4.8" fill="none" stroke="%s"/>`,
	`<path d="M-3 0h6M0 -3v6" fill="none" stroke="%s"/>`,
}

// shade returns the colour of a style.
func shade(style int) string { return palette[style%len(palette)] }

// mark draws the mark of a style at a position.
func mark(style int, x, y float64) string {
	return fmt.Sprintf(`<g transform="translate(%.2f %.2f)">%s</g>`, x, y,
		fmt.Sprintf(marks[style%len(marks)], shade(style)))
}

// stroke returns the attributes of the curve of a style. Styles beyond the colours have dashes.
func stroke(style int) string {
	s := fmt.Sprintf(`fill="none" stroke-width="1.6" stroke="%s"`, shade(style))
	if again := style / len(palette); again > 0 {
		s += fmt.Sprintf(` stroke-dasharray="%d 3"`, max(8/again, 1))
	}
	return s
}
