package superres

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"superres/internal/npz"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
)

// A cascade that an older superres wrote is refused for what it is.
func TestOlderCascade(t *testing.T) {
	heads, matrices, arrays, err := stage.Save(cascade(t, 2, training.AllSymmetries).Stages)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(header{Format: 1, Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic, Stages: heads})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range arrays {
		arrays[i].Name = strings.Replace(a.Name, ".maps", ".regressors", 1)
	}
	var b bytes.Buffer
	if err := npz.Write(&b, []npz.Text{{Name: "model.json", Data: text}}, matrices, arrays...); err != nil {
		t.Fatal(err)
	}
	_, err = Load(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), "older") {
		t.Error(err)
	}
}
