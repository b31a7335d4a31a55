package digits

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/report"
	"superres/internal/safefile"
	"superres/mnist"
	"superres/superres/resample"
	"superres/superres/score"
)

// summary is the result of a run of superres mnist, to be printed as JSON or as a table.
type summary struct {
	Command  paths.Name `json:"command"`            // the command line, with all options that affect the result
	Version  string     `json:"version"`            // the version of superres
	Task     string     `json:"task"`               // restore
	Model    paths.Name `json:"model"`              // a name or a file
	Images   paths.Name `json:"images"`             // the file of the images
	Official string     `json:"official,omitempty"` // the MNIST file with the same content, or empty
	Labels   paths.Name `json:"labels,omitempty"`   // the file of the labels
	// OfficialLabels is the name of the MNIST file with the same content as Labels, or empty.
	OfficialLabels string `json:"official_labels,omitempty"`
	Count          int    `json:"count"` // number of images processed
	// Width and Height are the size in pixels of each image in the file, transposed if --transpose-images is given.
	Width  int `json:"width"`
	Height int `json:"height"`
	Scale  int `json:"scale"` // the factor of reducing and enlarging
	// OutWidth and OutHeight are the size of a result, in pixels.
	OutWidth  int            `json:"out_width"`
	OutHeight int            `json:"out_height"`
	Protocol  score.Protocol `json:"protocol,omitempty"` // how errors are measured
	// Degradation is how images were reduced.
	Degradation resample.Degradation `json:"degradation,omitempty"`
	// Columns are the names of the methods scored: interpolations and, last, the model.
	Columns []string `json:"columns,omitempty"`
	// Finding is a sentence on whether the model beats the interpolations; empty if there was no comparison.
	Finding string     `json:"finding,omitempty"`
	Mean    []*float64 `json:"mean,omitempty"` // the mean error in each column, nil if undefined
	// Black is the number of black images. They have no error, and are left out of the means.
	Black   int     `json:"black"`
	Worst   *worst  `json:"worst,omitempty"`   // the image with the largest error of the model
	Classes []class `json:"classes,omitempty"` // the mean errors for each label, in ascending order
	// Output is the file or folder of the results; empty if they were not written.
	Output paths.Name `json:"output,omitempty"`
	// Sheet is the file of the page that shows the first images; empty if no page was written.
	Sheet     paths.Name `json:"sheet,omitempty"`
	Seconds   float64    `json:"seconds"`            // duration of the work
	PerSecond float64    `json:"images_per_second"`  // Count divided by Seconds
	Warnings  []string   `json:"warnings,omitempty"` // warnings about the input files

	typed string // the command line as it was typed
}

// class holds the number of images that have one label, and their mean error in each column.
type class struct {
	Label int        `json:"label"`
	Count int        `json:"count"`
	Mean  []*float64 `json:"mean"`
}

// worst is the image with the largest error of the model.
type worst struct {
	Index int     `json:"index"`
	Label *int    `json:"label,omitempty"`
	Error float64 `json:"nfe"`
}

// summary returns the summary of j, except official files, warnings and times, which the caller sets. The images not
// scored are the black ones, which have no error.
func (j *job) summary() summary {
	opt, e := &j.opt, j.engine
	s := summary{
		Command: paths.Name(opt.command), Version: console.Version, Task: "restore", Model: paths.Name(opt.Model),
		Images: paths.Name(opt.Images), Labels: paths.Name(opt.Labels),
		Count: j.count, Width: j.size.X, Height: j.size.Y, Scale: e.scale, OutWidth: j.out.X, OutHeight: j.out.Y,
		Output: paths.Name(opt.Output), Sheet: paths.Name(opt.Sheet), typed: opt.typed,
	}
	s.Protocol, s.Degradation, s.Columns = score.Normalised, e.degradation, e.columns
	s.Finding = j.scores.finding(e.columns)
	s.Mean, s.Worst, s.Black = j.scores.all.means(), j.scores.worst, j.scores.all.images-j.scores.all.scored
	for _, label := range slices.Sorted(maps.Keys(j.scores.classes)) {
		of := j.scores.classes[label]
		s.Classes = append(s.Classes, class{label, of.images, of.means()})
	}
	return s
}

// print writes the errors to standard output, as JSON if asJSON, and, unless quiet, warnings and a line to to.Err.
func (s *summary) print(to *console.Streams, quiet, asJSON bool) error {
	if !quiet {
		for _, w := range s.Warnings {
			fmt.Fprintln(to.Err, "superres: warning:", safefile.OneLine(w))
		}
		fmt.Fprintln(to.Err, safefile.OneLine(s.line()))
	}
	if asJSON {
		return console.WriteJSON(to.Out, s)
	}
	return s.document().Text(to.Out)
}

// line returns one line about the results: where they are, how many, and how fast they were computed.
func (s *summary) line() string {
	var to []string
	for _, name := range []string{string(s.Output), string(s.Sheet)} {
		if name != "" {
			to = append(to, name)
		}
	}
	text := fmt.Sprintf("%s of %d×%d by %s in %s, %.0f a second", console.Count(s.Count, "image"), s.OutWidth,
		s.OutHeight, s.Model, console.Elapsed(s.Seconds), s.PerSecond)
	if len(to) > 0 {
		text = strings.Join(to, ", ") + ": " + text
	}
	return text
}

// document returns the report: the finding, and the mean errors for each label and for all images, the least in bold.
func (s *summary) document() report.Document {
	d := report.Document{
		Title: "Images of an IDX file, restored", Command: s.typed, Notes: s.Warnings, Data: s,
		Lead: fmt.Sprintf("%s of %d×%d from %s%s, reduced by %s and restored by %s, scale %d. The error, protocol "+
			"%s, is ‖Î − I‖² / ‖I‖² of the grey values, its mean over the images; less is better.",
			console.Count(s.Count, "image"), s.Width, s.Height, filepath.Base(string(s.Images)), official(s.Official),
			s.Degradation, s.Model, s.Scale, s.Protocol),
		Facts: console.Facts(string(s.Command), report.Fact{Name: "images", Value: string(s.Images) +
			official(s.Official)}),
	}
	if s.Labels != "" {
		d.Facts = append(d.Facts, report.Fact{Name: "labels", Value: string(s.Labels) + official(s.OfficialLabels)})
	}
	if s.Finding != "" {
		d.Findings = append(d.Findings, s.Finding)
	}
	if s.Worst != nil {
		label := ""
		if s.Worst.Label != nil {
			label = fmt.Sprintf(", label %d", *s.Worst.Label)
		}
		d.Findings = append(d.Findings, fmt.Sprintf("worst by %s: %.4f, image %d%s", s.Model, s.Worst.Error,
			s.Worst.Index, label))
	}
	if s.Black > 0 {
		d.Findings = append(d.Findings, "black, so without an error, and left out of the means: "+
			console.Count(s.Black, "image"))
	}
	t := report.Table{Head: append([]string{"", "images"}, s.Columns...)}
	row := func(name string, images int, mean []*float64) {
		cells, least := []report.Cell{{Text: name}, {Text: strconv.Itoa(images)}}, -1
		for i, v := range mean {
			cells = append(cells, report.Cell{Text: console.Number("%.4f", v)})
			if v != nil && (least < 0 || *v < *mean[least]) {
				least = i
			}
		}
		if least >= 0 && len(mean) > 1 {
			cells[2+least].Best = true
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, class := range s.Classes {
		row("label "+strconv.Itoa(class.Label), class.Count, class.Mean)
	}
	row("mean", s.Count, s.Mean)
	d.Sections = []report.Section{{Title: "Errors", Tables: []report.Table{t}}}
	return d
}

// official returns ", which is MNIST's " followed by name, to end a sentence with, or "" if name is "".
func official(name string) string {
	if name == "" {
		return ""
	}
	return ", which is MNIST's " + name
}

// scores collects the errors of all digits.
type scores struct {
	all     group
	classes map[int]*group // by label; nil if there are no labels
	worst   *worst         // nil if no error is defined
}

// add adds the errors of x. Digits come in the order of the file, so that means do not depend on the number of workers.
func (s *scores) add(x digit) {
	s.all.add(x.errors)
	if x.label != mnist.NoLabel {
		if s.classes == nil {
			s.classes = map[int]*group{}
		}
		if s.classes[x.label] == nil {
			s.classes[x.label] = new(group)
		}
		s.classes[x.label].add(x.errors)
	}
	if v := x.errors[len(x.errors)-1]; !math.IsNaN(v) && (s.worst == nil || v > s.worst.Error) { // v is the model's
		s.worst = &worst{Index: x.index, Error: v}
		if x.label != mnist.NoLabel {
			s.worst.Label = &x.label
		}
	}
}

// finding returns a sentence on whether the model, last in columns, restores better than the best interpolation, and
// another on how certain this is; "" if there is nothing to compare.
func (s *scores) finding(columns []string) string {
	last := len(columns) - 1
	if last < 1 || s.all.scored == 0 {
		return ""
	}
	c := report.Contest{Kind: "model", Problems: "images",
		Measure: report.Measure{Name: "error", Format: "%.4f", Say: "an error of %.4f"}}
	for i, name := range columns {
		c.Entrants = append(c.Entrants, report.Entrant{Name: name, Learns: i == last, Scores: s.all.errors[i],
			Seconds: math.NaN()})
	}
	return c.Headline() + ". " + c.Evidence()
}

// group holds the errors of some images.
type group struct {
	images, scored int         // the number of images, and of images that have an error
	errors         [][]float64 // for each column, the errors of the images that have one
}

// add adds an image with errs, its error in each column. An image with an undefined error (NaN) is counted, not scored.
func (g *group) add(errs []float64) {
	if g.errors == nil {
		g.errors = make([][]float64, len(errs))
	}
	if g.images++; slices.ContainsFunc(errs, math.IsNaN) {
		return // a black image has no error
	}
	g.scored++
	for i, v := range errs {
		g.errors[i] = append(g.errors[i], v)
	}
}

// means returns the mean error in each column over the images that have an error; nil (for 0/0) if no image has.
func (g *group) means() (out []*float64) {
	for _, errs := range g.errors {
		sum := 0.0
		for _, v := range errs {
			sum += v
		}
		out = append(out, console.Finite(sum/float64(len(errs))))
	}
	return out
}
