// Package plugins reads the specs of learners and coders, which are names with parameters,
// from a command line: lists of them here, and that of one coder in coder.go. Its commands,
// superres learners and superres coders, show what there is.
package plugins

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/learners"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Learners is superres learners.
func Learners(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "learners", Usage: "list the dictionary learners and their parameters",
		Description: "   superres learners\n   superres train --learner ksvd:exact=false -o my.npz photos/",
		Action:      func(*cli.Context) error { return list(s, learners.List()) },
	})
}

// Coders is superres coders.
func Coders(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "coders", Usage: "list the sparse coders and their parameters",
		Description: "   superres coders\n   superres train --coder omp:sparsity=2 -o my.npz photos/",
		Action:      func(*cli.Context) error { return list(s, sparse.List()) },
	})
}

// list prints plug-ins with their parameters, defaults and papers.
func list[T any](s *console.Streams, infos []plugin.Info[T]) error {
	var b strings.Builder
	for _, info := range infos {
		fmt.Fprintf(&b, "%s\n   %s\n   %s\n", info.Name, info.Summary, info.Reference)
		for _, p := range info.Params() {
			fmt.Fprintf(&b, "   %s=%s  %s\n", p.Name, p.Default, p.Usage)
		}
	}
	_, err := fmt.Fprint(s.Out, b.String())
	return err
}

// Specs splits a list of plug-in specs at its commas, but for those between the
// parameters of one: "rop,blotless:inner=5,block=8,mod" are three.
func Specs(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		name, _, _ := strings.Cut(part, ":")
		switch {
		case part == "":
		case strings.Contains(name, "=") && len(list) > 0:
			list[len(list)-1] += "," + part
		default:
			list = append(list, part)
		}
	}
	return list
}

// CheckLearners refuses what is no learner or is named twice.
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

// All returns the names of all learners, ROP first: the paper's order.
func All() []string {
	paper := []string{"rop", "blotless", "simco", "ksvd", "mod"}
	names := learners.Names()
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
