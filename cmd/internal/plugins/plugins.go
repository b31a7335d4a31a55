// Package plugins reads specs of learners and coders from a command line. A spec is a name with parameters, such as
// "omp:sparsity=2". plugins.go reads lists of specs, coder.go the options of one coder. The commands superres learners
// and superres coders list all plug-ins.
package plugins

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/settings"
	"superres/learners"
	"superres/learners/planted"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Learners returns the command superres learners.
func Learners(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "learners", Usage: "list the dictionary learners and their parameters",
		Description: "   superres learners\n   superres train --learner ksvd:exact=false -o my.npz photos/",
		Action:      func(*cli.Context) error { return list(s, learners.List()) },
	})
}

// Coders returns the command superres coders.
func Coders(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "coders", Usage: "list the sparse coders and their parameters",
		Description: "   superres coders\n   superres train --coder omp:sparsity=2 -o my.npz photos/",
		Action:      func(*cli.Context) error { return list(s, sparse.List()) },
	})
}

// list prints the plug-ins in infos to s.Out, with their parameters, defaults and papers.
func list[T any](s *console.Streams, infos []plugin.Info[T]) error {
	var b strings.Builder
	for _, info := range infos {
		name := info.Name
		if info.Argument != "" {
			name += ":" + strings.ToUpper(info.Argument)
		}
		fmt.Fprintf(&b, "%s\n   %s\n   %s\n", name, info.Summary, info.Reference)
		for _, p := range info.Params() {
			if p.Name == info.Argument {
				fmt.Fprintf(&b, "   %s  %s\n", strings.ToUpper(p.Name), p.Usage)
				continue
			}
			fmt.Fprintf(&b, "   %s=%s  %s\n", p.Name, p.Default, p.Usage)
		}
	}
	_, err := fmt.Fprint(s.Out, b.String())
	return err
}

// CoderOption returns the option --coder, which sets *to, with the default preset.
func CoderOption(to *string, preset, help string) *settings.Option {
	return &settings.Option{Name: "coder", To: settings.Text(to, preset), Help: help, Words: CoderWords}
}

// CoderWords returns the names and summaries of the coders, for shell completion.
func CoderWords() []settings.Word { return words(sparse.List()) }

// LearnerOption returns the option called name, "learner" or "learners". Shell completion offers the learners for it.
func LearnerOption(name string, to settings.Value, help string) *settings.Option {
	return &settings.Option{Name: name, To: to, Help: help,
		Words: func() []settings.Word { return words(learners.List()) }}
}

// words returns the names and summaries of the plug-ins in infos, for shell completion.
func words[T any](infos []plugin.Info[T]) (list []settings.Word) {
	for _, info := range infos {
		list = append(list, settings.Word{Text: info.Name, About: info.Summary})
	}
	return list
}

// Specs splits a list of specs at commas, but not at commas between the parameters of a spec or within quotes:
// "rop,blotless:inner=5,block=8,mod" has three specs. A spec may have a label, as in "mine=exec:./mine.py".
func Specs(text string) []string {
	var list []string
	for _, part := range plugin.Split(text) {
		part = strings.TrimSpace(part)
		name, _, _ := strings.Cut(part, ":")
		_, _, labelled := cutLabel(part)
		switch {
		case part == "":
		case labelled:
			list = append(list, part)
		case strings.Contains(name, "=") && len(list) > 0: // a parameter of the spec before
			list[len(list)-1] += "," + part
		default:
			list = append(list, part)
		}
	}
	return list
}

// Labelled returns the specs of learners in list without their labels, and a map from each spec that has a label to
// this label. In "label=spec", the text before = is a label only if the name of a learner follows.
func Labelled(list []string) (specs []string, labels map[string]string) {
	labels = map[string]string{}
	for _, text := range list {
		if label, spec, ok := cutLabel(text); ok {
			labels[spec] = label
			text = spec
		}
		specs = append(specs, text)
	}
	return specs, labels
}

// cutLabel splits text of the form "label=spec"; ok is false if text has no label.
func cutLabel(text string) (label, spec string, ok bool) {
	label, spec, ok = strings.Cut(text, "=")
	name, _, _ := strings.Cut(spec, ":")
	known := slices.ContainsFunc(learners.List(), func(info learners.Info) bool { return info.Name == name })
	return label, spec, ok && known && label != "" && !strings.Contains(label, ":")
}

// CheckLearners returns an error for the first spec in names that is not a valid learner or appears twice.
func CheckLearners(names []string) error {
	for i, name := range names {
		if _, err := learners.New(name); err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return console.Usage("--learners names %s twice", name)
		}
	}
	return nil
}

// Coderless reports whether the learner with the given spec needs no sparse coder, and so no sparsity.
func Coderless(spec string) bool {
	name, _, _ := strings.Cut(spec, ":")
	l, err := learners.New(name) // without parameters, which may come from another version
	_, ok := l.(learners.Coderless)
	return ok && err == nil
}

// Told returns a text that says what a learner is given besides the signals: the number of atoms K and, if it uses a
// coder, the number S of atoms in each code. An empty spec stands for a dictionary that is not learned.
func Told(spec string, sparsity int) string {
	switch {
	case spec == "":
		return fmt.Sprintf("S = %d", sparsity)
	case Coderless(spec):
		return "K"
	}
	return fmt.Sprintf("K, S = %d", sparsity)
}

// Version identifies the code on which the results of a learner depend, besides its spec, its problem and its seed.
type Version struct {
	Program  string // fingerprint of the external programs that the learner and the coder run; "": none
	Revision string // planted.Revision of the learner and the coder
}

// Versions returns the Version of each learner in names, given as specs, together with coder, which it may use.
func Versions(names []string, coder string) ([]Version, error) {
	c, err := sparse.New(coder)
	if err != nil {
		return nil, err
	}
	list := make([]Version, len(names))
	for i, name := range names {
		l, err := learners.New(name)
		if err != nil {
			return nil, err
		}
		if list[i].Program, err = plugin.Fingerprint(l, c); err != nil {
			return nil, err
		}
		if list[i].Revision, err = planted.Revision(name, coder); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// All returns the names of the learners that take no argument. The paper's learners come first, in the paper's order.
func All() []string {
	paper := []string{"rop", "blotless", "simco", "ksvd", "mod"}
	var names []string
	for _, info := range learners.List() {
		if info.Argument == "" {
			names = append(names, info.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		rank := func(name string) int {
			if i := slices.Index(paper, name); i >= 0 {
				return i
			}
			return len(paper)
		}
		return rank(a) - rank(b)
	})
	return names
}
