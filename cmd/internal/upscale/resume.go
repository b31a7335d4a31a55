package upscale

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
)

// resumption is the journal of --resume, with the hashes that say whether a recorded result is still valid. The zero
// value knows no earlier work and keeps no journal.
type resumption struct {
	*parts.Ledger
	settings map[imagefile.Format]string // see newResumption
}

// newResumption returns the resumption for a call with opt and the models of e, or the zero value without --resume.
// For each output format r.settings gets a hash of all that decides the bytes of a result, except the input.
func newResumption(opt Options, e *enlarging.Enlarger) (r resumption, err error) {
	if !opt.Resume {
		return r, nil
	}
	hashes, software, err := e.Identify()
	if err != nil {
		return r, err
	}
	r = resumption{parts.NewLedger(opt.Part), map[imagefile.Format]string{}}
	for _, format := range append(imagefile.Formats(), pictures.Container) {
		sum := sha256.New()
		fmt.Fprintf(sum, "version %s\nmodel %s %s\n%s %s\nformat %s\n", console.Version, hashes,
			filepath.Base(opt.Model), enlarging.SizeRule(opt.Size), enlarging.SizeText(opt.Size), format)
		fmt.Fprintln(sum, "software", software)
		for _, s := range opt.settings {
			if s.name != "quality" || format.HasQuality() { // --quality changes no other format
				fmt.Fprintf(sum, "%s %s\n", s.name, s.value)
			}
		}
		r.settings[format] = hex.EncodeToString(sum.Sum(nil))
	}
	return r, nil
}
