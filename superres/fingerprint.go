package superres

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Fingerprint returns a SHA-256, in hexadecimal, of all that the model puts into the
// pixels of a result: its stages and those of its siblings, with their settings, and
// its interpolation, but not where it comes from.
func (m *Model) Fingerprint() (string, error) {
	h := sha256.New()
	if len(m.Stages) == 0 {
		fmt.Fprintf(h, "%s\n", m.Kernel)
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	for _, scale := range m.scales() {
		one, err := m.at(scale)
		if err != nil {
			return "", err
		}
		bare := *one
		bare.Provenance = Provenance{}
		if err := bare.Save(h); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
