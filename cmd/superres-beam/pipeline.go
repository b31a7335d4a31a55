package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
)

func init() {
	register.DoFn4x0[context.Context, string, func(string), func(string)](&partFn{})
	register.Emitter1[string]()
}

// partFn does a part. It returns no error, which would fail the entire job: failures go to the output dead.
type partFn struct{}

func (*partFn) ProcessElement(ctx context.Context, element string, results, dead func(string)) {
	var p part
	if err := json.Unmarshal([]byte(element), &p); err != nil {
		dead(line(letter{Error: err.Error(), Class: "part"}))
		return
	}
	r, letters := p.run(ctx)
	results(line(r))
	for _, l := range letters {
		dead(line(l))
	}
}

// line returns v as a line of JSON.
func line(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // v consists of numbers and texts, which JSON can hold
	}
	return string(text)
}

// muteBeam hides the messages of Beam except errors, and messages by slog below warnings.
func muteBeam() {
	beamlog.SetLogger(silent{})
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
}

type silent struct{}

func (silent) Log(_ context.Context, severity beamlog.Severity, _ int, message string) {
	if severity >= beamlog.SevError {
		fmt.Fprintln(os.Stderr, "beam:", message)
	}
}

// commands are the commands of superres that can be run in parts.
var commands = []string{"upscale", "recover", "compare"}

// drive runs the command in opt.args in parts, merges their results, and returns the exit code of superres-beam.
func drive(ctx context.Context, opt options, stdout io.Writer) (code int, err error) {
	if len(opt.args) == 0 || !slices.Contains(commands, opt.args[0]) {
		return 2, fmt.Errorf("expected a command after --, of %s; --help shows examples", strings.Join(commands, ", "))
	}
	if opt.shards < 1 || opt.atOnce < 1 {
		return 2, fmt.Errorf("--shards %d --at-once %d: expected 1 or more", opt.shards, opt.atOnce)
	}
	if opt.shards > parts.MaxParts {
		return 2, fmt.Errorf("--shards %d: expected %d at most", opt.shards, parts.MaxParts)
	}
	target, ok := outputFlag(opt.args)
	if !ok && opt.args[0] == "upscale" {
		return 2, errors.New("upscale needs an output: -o")
	}
	if !ok {
		target = map[string]string{"recover": "recovery", "compare": "comparison"}[opt.args[0]]
	}
	pictures, dead, err := opt.runParts(ctx, stdout)
	switch {
	case err != nil:
		return 1, err
	case dead > 0 && opt.args[0] == "upscale" && pictures == 0:
		return 1, fmt.Errorf("%d failed: %s.dead-letters.jsonl; nothing was completed", dead, opt.report)
	}
	var text bytes.Buffer
	end := run(ctx, []string{"merge", target}, func(l []byte) { text.Write(append(l, '\n')) })
	_, _ = stdout.Write(text.Bytes())
	switch {
	case end.code == 0 && dead > 0:
		return codeSome, nil
	case end.code == 0:
		return 0, nil
	case dead > 0 && end.code != codeSome:
		return codeSome, fmt.Errorf("%d failed: %s.dead-letters.jsonl; %s", dead, opt.report, end.reason)
	}
	return end.code, errors.New(end.reason)
}

// outputFlag returns the value of -o or --output in args, and whether there is one.
func outputFlag(args []string) (string, bool) {
	for i, a := range args {
		name, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		switch {
		case !strings.HasPrefix(a, "-") || name != "o" && name != "output":
		case has:
			return value, true
		case i+1 < len(args):
			return args[i+1], true
		}
	}
	return "", false
}

// runParts runs all parts. It returns how many pictures are done, now or before, and how many failures are in the dead
// letters.
func (opt options) runParts(ctx context.Context, stdout io.Writer) (pictures, dead int, err error) {
	var elements []string
	for i := range opt.shards {
		elements = append(elements, line(part{paths.Names(opt.args), i, opt.shards, opt.atOnce}))
	}
	results, letters := opt.report+".results.jsonl", opt.report+".dead-letters.jsonl"
	store, err := filesystem.New(ctx, letters)
	if err != nil {
		return 0, 0, err
	}
	defer store.Close()
	for _, name := range []string{results, letters} { // Beam writes no file if there are no elements
		if err := filesystem.Write(ctx, store, name, nil); err != nil {
			return 0, 0, fmt.Errorf("--report %s: %w", opt.report, err)
		}
	}
	p, s := beam.NewPipelineWithRoot()
	// Reshuffle lets the runner give each element to another worker.
	spread := beam.Reshuffle(s, beam.CreateList(s, elements))
	done, failed := beam.ParDo2(s, &partFn{}, spread)
	textio.Write(s, results, done)
	textio.Write(s, letters, failed)
	if err := beamx.Run(ctx, p); err != nil {
		return 0, 0, err
	}
	list, err := sortLines(ctx, store, letters)
	if err != nil {
		return 0, 0, err
	}
	reports, err := sortLines(ctx, store, results)
	if err != nil {
		return 0, 0, err
	}
	var total result
	for _, text := range reports {
		var r result
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", results, err)
		}
		total.Done, total.Skipped, total.Seconds, total.Attempts = total.Done+r.Done, total.Skipped+
			r.Skipped, total.Seconds+r.Seconds, total.Attempts+r.Attempts
	}
	fmt.Fprintf(stdout, "%d parts in %d attempts, %.1f s together; pictures made: %d, there before: %d; "+
		"dead letters: %d\n",
		len(reports), total.Attempts, total.Seconds, total.Done, total.Skipped, len(list))
	return total.Done + total.Skipped, len(list), nil
}

// sortLines sorts the lines of the file name, removes repeated ones and returns them, so that equal runs give equal
// files.
func sortLines(ctx context.Context, store filesystem.Interface, name string) ([]string, error) {
	data, err := filesystem.Read(ctx, store, name)
	if err != nil {
		return nil, err
	}
	var list []string
	for l := range strings.SplitSeq(string(data), "\n") {
		if l != "" {
			list = append(list, l)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	text := ""
	if len(list) > 0 {
		text = strings.Join(list, "\n") + "\n"
	}
	return list, filesystem.Write(ctx, store, name, []byte(text))
}
