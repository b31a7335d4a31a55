package models

import (
	"encoding/json"
	"fmt"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/stage"
)

// head is the part of a model file that a list of models shows. It is read without the arrays, which may be large.
type head struct {
	Scale      int                 `json:"scale"`
	Provenance superres.Provenance `json:"provenance"`
}

// readHead returns the head of the model file at path.
func readHead(path string) (h head, err error) {
	f, size, err := safefile.OpenRegular(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	file, err := stage.Open(f, size)
	if err != nil {
		return h, err
	}
	text, err := file.Text("model.json", 1<<20) // at most 1 MiB
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, fmt.Errorf("model.json is damaged")
	}
	return h, nil
}

// String returns a line that describes the model, which must be an imported network.
func (h head) String() string {
	n := h.Provenance.Imported
	text := fmt.Sprintf("×%d, %s, %s parameters, imported from %s", h.Scale, n.Architecture,
		console.Quantity(float64(n.Parameters)), n.File)
	return safefile.OneLine(text)
}
