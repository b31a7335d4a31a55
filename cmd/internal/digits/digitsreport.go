package digits

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/mnist"
	"superres/superres/resample"
	"superres/superres/score"
)

// digitScores are the sums of the errors of a run.
type digitScores struct {
	all     digitSums
	classes map[int]*digitSums // by label; nil without labels
	worst   *worstDigit        // nil when no error is defined
}

// digitSums are sums over some images.
type digitSums struct {
	images, scored int
	sums           []float64 // one a column
}

func (s *digitSums) add(errs []float64) {
	if s.sums == nil {
		s.sums = make([]float64, len(errs))
	}
	if s.images++; slices.ContainsFunc(errs, math.IsNaN) {
		return // the image is black
	}
	s.scored++
	for i, v := range errs {
		s.sums[i] += v
	}
}

// means are the mean errors over the images that have one; nil where none has.
func (s *digitSums) means() []*float64 {
	out := make([]*float64, len(s.sums))
	for i, v := range s.sums {
		out[i] = console.Finite(v / float64(s.scored))
	}
	return out
}

// add counts a digit in, in the order of the file, so that the sums are the same
// bits for any number of workers.
func (s *digitScores) add(x digit) {
	if x.errors == nil {
		return
	}
	s.all.add(x.errors)
	if x.label != mnist.NoLabel {
		if s.classes == nil {
			s.classes = map[int]*digitSums{}
		}
		if s.classes[x.label] == nil {
			s.classes[x.label] = new(digitSums)
		}
		s.classes[x.label].add(x.errors)
	}
	if v := x.errors[len(x.errors)-1]; !math.IsNaN(v) && (s.worst == nil || v > s.worst.Error) {
		s.worst = &worstDigit{Index: x.index, Error: v}
		if x.label != mnist.NoLabel {
			s.worst.Label = &x.label
		}
	}
}

// digitSummary is what a run says of itself.
type digitSummary struct {
	Command        string               `json:"command"`
	Version        string               `json:"version"`
	Task           string               `json:"task"`
	Model          string               `json:"model"`
	Images         string               `json:"images"`
	Official       string               `json:"official,omitempty"` // which of MNIST's files it is
	Labels         string               `json:"labels,omitempty"`
	OfficialLabels string               `json:"official_labels,omitempty"`
	Count          int                  `json:"count"` // of the images worked on
	Width          int                  `json:"width"`
	Height         int                  `json:"height"`
	Scale          int                  `json:"scale"`
	OutWidth       int                  `json:"out_width"`
	OutHeight      int                  `json:"out_height"`
	Protocol       score.Protocol       `json:"protocol,omitempty"`
	Degradation    resample.Degradation `json:"degradation,omitempty"`
	Columns        []string             `json:"columns,omitempty"`
	Mean           []*float64           `json:"mean,omitempty"` // null: not defined
	Black          int                  `json:"black"`          // images without an error, left out of the means
	Worst          *worstDigit          `json:"worst,omitempty"`
	Classes        []digitClass         `json:"classes,omitempty"`
	Output         string               `json:"output,omitempty"`
	Sheet          string               `json:"sheet,omitempty"`
	Seconds        float64              `json:"seconds"`
	PerSecond      float64              `json:"images_per_second"`
	Warnings       []string             `json:"warnings,omitempty"`
}

type digitClass struct {
	Label int        `json:"label"`
	Count int        `json:"count"`
	Mean  []*float64 `json:"mean"`
}

// worstDigit is the image with the largest error of the model.
type worstDigit struct {
	Index int     `json:"index"`
	Label *int    `json:"label,omitempty"`
	Error float64 `json:"nfe"`
}

// report says what came out: the scores on standard output, the rest beside it.
func (d *job) report(c *cli.Context, s *console.Streams, warnings []string, seconds float64) error {
	command, _ := console.Recorded(c)
	sum := digitSummary{
		Command: command, Version: console.Version, Task: c.String("task"), Model: d.name,
		Images: d.images, Official: d.official[0], Labels: d.labels, OfficialLabels: d.official[1],
		Count: d.count, Width: d.width, Height: d.height, Scale: d.scale, OutWidth: d.outWidth, OutHeight: d.outHeight,
		Output: c.String("output"), Sheet: d.sheet, Seconds: seconds, PerSecond: float64(d.count) / seconds, Warnings: warnings,
	}
	if !d.enlarge {
		sum.Protocol, sum.Degradation, sum.Columns = score.Normalised, d.degradation, d.columns
		sum.Mean, sum.Worst, sum.Black = d.scores.all.means(), d.scores.worst, d.scores.all.images-d.scores.all.scored
		for _, label := range slices.Sorted(maps.Keys(d.scores.classes)) {
			class := d.scores.classes[label]
			sum.Classes = append(sum.Classes, digitClass{label, class.images, class.means()})
		}
	}
	if !c.Bool("quiet") {
		for _, w := range warnings {
			fmt.Fprintln(s.Err, "superres: warning:", safefile.OneLine(w))
		}
		fmt.Fprintln(s.Err, safefile.OneLine(sum.line()))
	}
	if c.Bool("json") {
		enc := json.NewEncoder(s.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(sum)
	}
	if d.enlarge {
		return nil
	}
	_, err := fmt.Fprint(s.Out, sum.text())
	return err
}

// line is what was done.
func (s *digitSummary) line() string {
	var to []string
	for _, name := range []string{s.Output, s.Sheet} {
		if name != "" {
			to = append(to, name)
		}
	}
	text := fmt.Sprintf("%s of %dx%d by %s in %.1f s, %.0f a second", console.Count(s.Count, "image"), s.OutWidth, s.OutHeight, s.Model, s.Seconds, s.PerSecond)
	if len(to) > 0 {
		text = strings.Join(to, ", ") + ": " + text
	}
	return text
}

// text is the table of the errors for reading.
func (s *digitSummary) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %dx%d from %s", console.Count(s.Count, "image"), s.Width, s.Height, safefile.OneLine(filepath.Base(s.Images)))
	if s.Official != "" {
		b.WriteString(", which is MNIST's " + s.Official)
	}
	fmt.Fprintf(&b, "\nprotocol %s, scale %d, reduced by %s: normalised squared error\n", s.Protocol, s.Scale, s.Degradation)
	line := func(name, images string, cells []string) {
		fmt.Fprintf(&b, "%-8s  %8s", name, images)
		for _, cell := range cells {
			fmt.Fprintf(&b, "  %10s", safefile.OneLine(cell))
		}
		b.WriteByte('\n')
	}
	row := func(name string, images int, mean []*float64) {
		var cells []string
		for _, v := range mean {
			cells = append(cells, console.Number("%.4f", v))
		}
		line(name, strconv.Itoa(images), cells)
	}
	line("", "images", s.Columns)
	for _, class := range s.Classes {
		row("label "+strconv.Itoa(class.Label), class.Count, class.Mean)
	}
	row("mean", s.Count, s.Mean)
	if s.Worst != nil {
		label := ""
		if s.Worst.Label != nil {
			label = fmt.Sprintf(", label %d", *s.Worst.Label)
		}
		fmt.Fprintf(&b, "worst by %s: %.4f, image %d%s\n", safefile.OneLine(s.Model), s.Worst.Error, s.Worst.Index, label)
	}
	if s.Black > 0 {
		fmt.Fprintf(&b, "black, so without an error, and left out of the means: %s\n", console.Count(s.Black, "image"))
	}
	return b.String()
}
