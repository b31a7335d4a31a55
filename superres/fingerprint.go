package superres

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Fingerprint returns a SHA-256, in hexadecimal, of all that the model puts into the pixels of a result: its
// interpolation, its stages with their settings, its siblings and its smaller model for the effort fast. Its provenance
// does not count. It fails if a sibling or the smaller model cannot be opened.
func (m *Model) Fingerprint() (string, error) {
	h := sha256.New()
	if len(m.Stages) == 0 {
		fmt.Fprintf(h, "%s\n", m.Kernel)
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	if m.maxEffort {
		fmt.Fprintln(h, "max")
	}
	for _, scale := range m.scales() {
		model, err := m.modelFor(scale)
		if err != nil {
			return "", err
		}
		bare := *model
		bare.Provenance = Provenance{}
		if err := bare.Save(h); err != nil {
			return "", err
		}
	}
	if m.fast != nil {
		smaller, err := m.fast()
		if err != nil {
			return "", err
		}
		sum, err := smaller.Fingerprint()
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, sum)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
