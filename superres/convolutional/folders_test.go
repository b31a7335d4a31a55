package convolutional_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"superres/superres"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/training"
)

// A training from folders of PNG files, for whoever works on this package:
//
//	SUPERRES_TRAIN=kodak,pexels    folders to learn from
//	SUPERRES_CHECK=open-valid      folders that reports are about
//	SUPERRES_SCORE=set5,open-valid folders that are scored at the end, by the protocol
//	SUPERRES_TRAINER='{"Steps":3000,"Channels":16,"Depth":5}'
//	SUPERRES_STATE=file            where the state is kept, and gone on from
//	SUPERRES_FROM=file             a state to begin from
//
// with go test -run TestTrainFromFolders -v -timeout 0 ./superres/convolutional.
func TestTrainFromFolders(t *testing.T) {
	if os.Getenv("SUPERRES_TRAIN") == "" {
		t.Skip("SUPERRES_TRAIN names no folders to learn from")
	}
	var o convolutional.Trainer
	if text := os.Getenv("SUPERRES_TRAINER"); text != "" {
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
	}
	o.Checks = folders(t, "SUPERRES_CHECK")
	if file := os.Getenv("SUPERRES_FROM"); file != "" {
		var err error
		if o.From, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if file := os.Getenv("SUPERRES_STATE"); file != "" {
		o.Kept, _ = os.ReadFile(file)
		o.Keep = func(state []byte) error { return os.WriteFile(file, state, 0o666) }
	}
	var start, last time.Time
	first := 0
	o.Report = func(r convolutional.Report) {
		now := time.Now()
		fmt.Printf("%6d  %6.1f s  %5.1f ms a step  rate %.5f  loss %.5f  error %.3f of 255  %.3f dB  %d silent\n",
			r.Step, now.Sub(start).Seconds(), float64(now.Sub(last).Milliseconds())/float64(r.Step-first), r.Rate, r.Loss, 255*r.RMSE, r.PSNR, r.Silent)
		last, first = time.Now(), r.Step
	}
	progress := func(phase string, done, total int) {
		if phase == "learning" && start.IsZero() {
			start, last, first = time.Now(), time.Now(), done
		}
	}
	got, err := o.Train(t.Context(), folders(t, "SUPERRES_TRAIN"), progress)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%+v\n", got.Record)
	scale, degradation, _ := o.Target()
	m := &superres.Model{Scale: scale, Degradation: degradation, Kernel: resample.Bicubic, Stages: got.Stages}
	sum, count, name := 0.0, 0, ""
	for _, src := range append(folders(t, "SUPERRES_SCORE"), training.Source{}) {
		if folder := filepath.Dir(src.Name); folder != name {
			if count > 0 {
				fmt.Printf("%s ×%d: %.3f dB over %d pictures\n", filepath.Base(name), scale, sum/float64(count), count)
			}
			sum, count, name = 0, 0, folder
		}
		if src.Open == nil {
			break
		}
		img, err := src.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		metrics, err := m.Restore(t.Context(), img, scale)
		if err != nil {
			t.Fatal(err)
		}
		sum += metrics.PSNR
		count++
	}
}

// folders are the pictures of the folders that a variable lists.
func folders(t *testing.T, variable string) (list []training.Source) {
	for _, folder := range strings.FieldsFunc(os.Getenv(variable), func(r rune) bool { return r == ',' }) {
		files, err := filepath.Glob(filepath.Join(folder, "*.png"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			list = append(list, training.Source{Name: file, Open: func(context.Context) (image.Image, error) {
				f, err := os.Open(file)
				if err != nil {
					return nil, err
				}
				defer f.Close()
				img, _, err := image.Decode(f)
				return img, err
			}})
		}
	}
	return list
}
