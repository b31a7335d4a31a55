package upscale

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/superres"
)

// neutral are the flags of upscale whose values do not matter to the bytes of a
// result, or matter by what else is hashed. All others are settings of it, so that a
// new flag is one until it is known better.
var neutral = []string{
	"output", "name", "format", "recursive", "include", "exclude", "on-exist", "resume", "shard", "dry-run", "json",
	"scale", "width", "height", "fit", "model", "timeout", "provenance", "progress", "quiet", "verbose", "jobs", "tile", "max-memory", "max-pixels", "help",
}

// resultSettings returns hashes of all but the input that decides the bytes of a result,
// by its format.
func resultSettings(c *cli.Context, engines []engine, opt superres.Options) (map[string]string, error) {
	var models, software []string
	for _, e := range engines {
		hash, err := e.model.Fingerprint()
		if err != nil {
			return nil, err
		}
		models, software = append(models, hash), append(software, e.software)
	}
	list := map[string]string{}
	for _, format := range []string{"png", "jpeg", "bmp", "tiff"} {
		sum := sha256.New()
		fmt.Fprintf(sum, "version %s\nmodel %s %s\nsize %s\nformat %s\n", console.Version, models, filepath.Base(c.String("model")), pictures.SizeText(opt), format)
		if opt.Fit {
			fmt.Fprintln(sum, "fit")
		}
		fmt.Fprintln(sum, "software", software)
		for _, f := range c.Command.Flags {
			name := f.Names()[0]
			if !slices.Contains(neutral, name) && (name != "quality" || format == "jpeg") {
				fmt.Fprintf(sum, "%s %v\n", name, c.Value(name))
			}
		}
		list[format] = hex.EncodeToString(sum.Sum(nil))
	}
	return list, nil
}
