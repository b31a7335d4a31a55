package learning

import (
	"bytes"
	"context"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
	"testing"

	"superres/internal/npz"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/training"
	"encoding/json"
)

func TestScore(t *testing.T) {
	data, err := os.ReadFile(os.Getenv("CKPT"))
	if err != nil { t.Fatal(err) }
	file, err := npz.OpenUpTo(bytes.NewReader(data), int64(len(data)), maxCheckpoint)
	if err != nil { t.Fatal(err) }
	key, _ := file.Text(keyFile, maxText)
	var k []any
	json.Unmarshal(key, &k)
	st, _ := file.Text(stateFile, maxText)
	o := Defaults()
	o.Scale, o.Channels, o.Depth, o.Skip = int(k[1].(float64)), int(k[3].(float64)), int(k[4].(float64)), int(k[5].(float64))
	_ = resample.Cubic
	n := convolutional.NewNetwork(o.architecture())
	for i, s := range shapesOf(n) {
		v, err := npz.Read[float32](file, arrayName(i, 0), 1, s.size())
		if err != nil { t.Fatal(err) }
		s.write(n.Layers[i], s.divide(v))
	}
	t.Log(string(st))
	for _, set := range []string{"open-valid", "t91", "set5"} {
		names, _ := filepath.Glob("/work/shared/data/" + set + "/*.png")
		s := &session{Trainer: o}
		for _, name := range names {
			s.Validation = append(s.Validation, training.Source{Name: name, Open: func(context.Context) (image.Image, error) {
				f, err := os.Open(name)
				if err != nil { return nil, err }
				defer f.Close()
				img, _, err := image.Decode(f)
				return img, err
			}})
		}
		v, err := s.readValidation(t.Context())
		if err != nil { t.Fatal(err) }
		p, err := v.score(t.Context(), n)
		if err != nil { t.Fatal(err) }
		t.Logf("%s %.3f", set, p)
	}
}
