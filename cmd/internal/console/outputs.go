package console

import (
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/paths"
	"superres/internal/safefile"
)

// Overwrites reports whether --on-exist is overwrite (see OnExistOption).
func Overwrites(c *cli.Context) bool { return c.String("on-exist") == "overwrite" }

// Output is a file that a command is to write.
type Output struct {
	// Flag is the flag that names the file, such as -o, for messages.
	Flag string
	// Name is the name of the file; "-": standard output; empty: no output.
	Name string
}

// CheckOutputs returns an error if an output cannot be written, would overwrite an input or another output, or exists
// although overwrite is false. inputs are file names. It is called before any work.
func CheckOutputs(overwrite bool, inputs []string, outputs ...Output) error {
	seen := map[string]string{} // flag of each output, under its path without links
	for _, o := range outputs {
		if o.Name == "" || paths.IsStandard(o.Name) {
			continue
		}
		for _, in := range inputs {
			if in != "" && !paths.IsStandard(in) && safefile.SameFile(in, o.Name) {
				return Failf(ExitOutput, "%s: %s would write over the input; use another name", o.Name, o.Flag)
			}
		}
		place := filepath.Join(paths.Real(filepath.Dir(o.Name)), filepath.Base(o.Name))
		if other, clash := seen[place]; clash {
			return Failf(ExitOutput, "%s: both %s and %s write to it; give each a file of its own", o.Name, other,
				o.Flag)
		}
		seen[place] = o.Flag
		if _, err := os.Lstat(o.Name); err == nil && !overwrite {
			return Failf(ExitOutput, "%s exists; use --on-exist overwrite or another %s", o.Name, o.Flag)
		}
		// Fail now rather than after hours of work.
		if err := safefile.CheckWritable(o.Name, overwrite); err != nil {
			return err
		}
	}
	return nil
}

// SoleOutput returns Overwrites(c), and the error of CheckOutputs for a command whose only output is --output.
func SoleOutput(c *cli.Context, inputs ...string) (overwrite bool, err error) {
	overwrite = Overwrites(c)
	return overwrite, CheckOutputs(overwrite, inputs, Output{"-o", c.String("output")})
}
