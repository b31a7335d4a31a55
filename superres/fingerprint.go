package superres

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Fingerprint returns a SHA-256, in hexadecimal, of all that the model puts into the pixels of a result: its
// interpolation, its stages with their settings, its siblings and its models for other efforts. Its provenance does not
// count. It fails if one of these cannot be opened.
func (m *Model) Fingerprint() (string, error) {
	h := sha256.New()
	if m.IsPlain() {
		fmt.Fprintf(h, "%s\n", m.Kernel)
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	if m.maxEffort {
		fmt.Fprintln(h, "max, colours apart")
	}
	for _, scale := range m.scales() {
		model, err := m.modelFor(scale)
		if err != nil {
			return "", err
		}
		bare := *model
		bare.Provenance = Provenance{}
		if err := bare.digest(h); err != nil {
			return "", err
		}
	}
	for _, name := range Efforts() {
		open := m.efforts[name]
		if open == nil {
			continue
		}
		other, err := open()
		if err != nil {
			return "", err
		}
		sum, err := other.Fingerprint()
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, sum)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digest writes what the model puts into pixels to h: its file, or, for a model with a network, the content of the file
// without compression, which would take longer than a small picture.
func (m *Model) digest(h io.Writer) error {
	if m.Network == nil {
		return m.Save(h)
	}
	text, members, err := m.members()
	if err != nil {
		return err
	}
	return members.WriteContent(h, text)
}
