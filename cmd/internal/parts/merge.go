package parts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
	"superres/internal/settings"
)

// Command returns the command superres merge.
func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "merge", Usage: "complete what was done in parts, with --shard", ArgsUsage: "[FLAGS] FOLDER",
		Description: `   superres merge recovery/     the report of superres recover --shard I/N -o recovery/, for all I
   superres merge comparison/   that of superres compare; run it where the parts were run
   superres merge large/        whether all parts of superres upscale --resume --shard I/N -o large/ are done

Parts run in any order and number, at once or not, on one machine or many; they share
the folder and nothing else. A part that is run again does what is missing.`,
		Flags: console.Flags(console.WorkOptions(new(console.Limits), nil)),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return console.Usage("expected one folder; superres merge --help shows examples")
			}
			return merge(c, s, c.Args().First())
		},
	})
}

// merge writes the report on the parts in the folder path, or prints what superres upscale did with the pictures.
func merge(c *cli.Context, s *console.Streams, path string) error {
	recorded, err := safefile.ReadRegular(filepath.Join(path, commandFile), maxCommand)
	if errors.Is(err, fs.ErrNotExist) {
		return mergePictures(s, path)
	}
	var words []paths.Name
	if err == nil {
		err = json.Unmarshal(recorded, &words)
	}
	args := paths.Texts(words)
	if err != nil || len(args) == 0 || !sweeps(c.App.Command(args[0])) {
		return console.Failf(console.ExitInput, "%s does not hold the command of the parts (%v)", filepath.Join(path,
			commandFile), err)
	}
	if name := filepath.Join(path, commandFile); slices.ContainsFunc(args[1:], outputFlag) {
		return console.Failf(console.ExitInput, "%s names an output; that of the report is the folder itself: "+
			"remove the flag there", name)
	}
	var flags []string
	for _, o := range console.OptionsOf(c.Command) {
		if o.Given() {
			flags = append(flags, "--"+o.Name+"="+o.To.String())
		}
	}
	args = slices.Concat([]string{"superres", args[0], "--output=" + path}, flags, args[1:])
	return c.App.RunContext(context.WithValue(c.Context, mergeKey{}, true), args)
}

// outputFlag reports whether arg is the flag for the output. A recorded command must not contain it, as the report goes
// to the folder of the parts.
func outputFlag(arg string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return strings.HasPrefix(arg, "-") && (name == "o" || name == "output")
}

// mergeKey is the key of the context value read by isMerging.
type mergeKey struct{}

// isMerging reports whether superres merge runs the command of c, to make the report from the results of the parts. The
// context says so, since the parts had the same command line.
func isMerging(c *cli.Context) bool { return c.Context.Value(mergeKey{}) != nil }

// sweeps reports whether c runs trials that can be divided into parts, so whether it has SweepOption.
func sweeps(c *cli.Command) bool {
	if c == nil {
		return false
	}
	shard := console.OptionsOf(c).Find("shard")
	return shard != nil && slices.Contains(shard.Kinds, "sweep")
}

// commandFile is the file in the folder of the parts that records their command, so that superres merge can make its
// report.
const commandFile = "command.json"

// maxCommand is the greatest size of a commandFile, in bytes.
const maxCommand = 16 << 20

// sweepPart returns the part named in --shard. If there is one, it writes commandFile to the folder dir; a folder with
// the parts of another command is a usage error.
func sweepPart(c *cli.Context, dir string) (Part, error) {
	part, err := Parse(c.String("shard"))
	if err != nil || part.Of == 0 || dir == "" {
		return part, err
	}
	args := []string{c.Command.Name}
	for _, o := range console.OptionsOf(c.Command) {
		if o.Given() && (o.Effect != settings.Neutral || o.Name == "max-pixels") {
			for _, v := range o.Values() {
				args = append(args, "--"+o.Name+"="+v)
			}
		}
	}
	args = append(append(args, "--"), c.Args().Slice()...)
	text, err := json.Marshal(paths.Names(args))
	if err != nil {
		return part, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return part, safefile.Unwritable(dir, err)
	}
	name := filepath.Join(dir, commandFile)
	old, err := safefile.ReadRegular(name, maxCommand)
	switch {
	case err == nil && !bytes.Equal(old, text):
		return part, console.Usage("%s holds parts of another command, %s; use another -o", dir,
			safefile.OneLine(string(old)))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return part, console.Fail(console.ExitOutput, err)
	case err == nil:
		return part, nil
	}
	return part, safefile.WriteAtomic(name, true, console.Writes(text))
}

// mergePictures prints what the journals in dir record of the parts of superres upscale. It fails if parts are
// unfinished.
func mergePictures(s *console.Streams, dir string) error {
	files, err := filepath.Glob(filepath.Join(paths.GlobQuote(dir), journalPrefix+"*"+journalSuffix))
	if err != nil {
		return err
	}
	ends := map[int]map[int]Record{} // last record of each part, by number of parts, then by part
	var latest int                   // number of parts
	var when time.Time
	for _, file := range files {
		part, ok := OfFile(file)
		if !ok {
			continue
		}
		var last Record
		_, damaged, err := ReadJournal(file, func(rec Record) {
			if rec.Output == "" {
				last = rec
			}
		})
		if err != nil {
			return journalError(file, err)
		}
		if damaged > 0 {
			fmt.Fprintln(s.Err, "superres:", safefile.OneLine(skippedLine(file, damaged).Error()))
		}
		if ends[part.Of] == nil {
			ends[part.Of] = map[int]Record{}
		}
		if last.State == "end" {
			ends[part.Of][part.Index] = last
		}
		if latest == 0 || last.Time.After(when) {
			latest, when = part.Of, last.Time
		}
	}
	if latest == 0 {
		return console.Failf(console.ExitInput, "%s: no part was done there with --shard I/N (of upscale with "+
			"--resume as well)", dir)
	}
	// Earlier runs may have had other pictures or another number of parts: only the latest division counts.
	parts := ends[latest]
	total := 0
	var newest time.Time
	for _, rec := range parts {
		if rec.Time.After(newest) {
			total, newest = rec.Whole, rec.Time
		}
	}
	done := func(i int) bool { rec, ok := parts[i]; return ok && rec.Whole == total }
	var unfinished []string // only the first: the name of a journal may claim a million parts
	missing := latest
	for i := range parts {
		if done(i) {
			missing--
		}
	}
	for i := 0; len(unfinished) < min(missing, console.MostNames); i++ {
		if !done(i) {
			unfinished = append(unfinished, Part{i, latest}.String())
		}
	}
	if missing > 0 {
		return console.Failf(console.ExitInput, "%s: not all parts have come to their end with the same pictures; "+
			"run the command with --shard %s", dir, console.FirstOfMany(unfinished, missing))
	}
	return reportParts(s, dir, parts)
}

// reportParts prints how many pictures the parts have done, and which failed; failures are an error with ExitSome.
func reportParts(s *console.Streams, dir string, parts map[int]Record) error {
	done := 0
	var failed []string
	for _, i := range slices.Sorted(maps.Keys(parts)) {
		done += parts[i].Done
		failed = append(failed, paths.Texts(parts[i].Failed)...)
	}
	for _, name := range failed {
		fmt.Fprintln(s.Out, safefile.OneLine(name+": failed"))
	}
	fmt.Fprintf(s.Out, "%d parts: %d pictures done, %d failed\n", len(parts), done, len(failed))
	if len(failed) > 0 {
		return console.Failf(console.ExitSome, "%s: %d of %d pictures failed", dir, len(failed), done+len(failed))
	}
	return nil
}
