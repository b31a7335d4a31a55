package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/flaws"
)

// A judge learns from planted samples which trait tells which of the three results is right.
func TestFitFindsWhatMatters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []sample
	for range 600 {
		s := sample{Traits: make([]int32, 127)}
		for i := range s.Traits {
			s.Traits[i] = int32(rng.IntN(512))
		}
		// The clean result adds c, the robust one r, the truth is one of them or neither: E = kind.
		const c, r = 10., 3.
		e := 0.
		switch {
		case s.Traits[5] > 340:
			s.Kind, e = "first", c
		case s.Traits[5] > 170:
			s.Kind, e = "second", r
		}
		s.Moments, s.Interpolated = [6]float64{e*e + 1, c * c, r * r, c * r, e * c, e * r}, [2]float64{e*e + 1, 1e4}
		list = append(list, s)
	}
	small := fitting{steps: 400, batch: 32, rate: 1e-2, noise: 0.1, hidden: 24, seed: 1}
	j := small.fitJudge(list)
	learned, alone := 0., 0.
	for _, s := range list {
		shares := j.Shares(s.Traits)
		learned += s.squaredError(shares.Clean, shares.Robust)
		alone += min(s.squaredError(0, 1), s.squaredError(1, 0))
	}
	if n := float64(len(list)); learned/n > 5 {
		t.Errorf("mean squared error %g; with one of the two models %g, the least is 1", learned/n, alone/n)
	}
}

// Corrections are learned from planted samples, of which one trait tells whether they were blurred.
func TestFitFindsCorrections(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var list []correctionSample
	for range 400 {
		c := correctionSample{Kind: "blurred", Traits: make([]int32, 20), Rest: 100}
		for i := range c.Traits {
			c.Traits[i] = int32(rng.IntN(512))
		}
		for i := range c.Gains {
			c.Gains[i], c.Powers[i] = float64(c.Traits[3]/256*2), 40
		}
		list = append(list, c)
	}
	small := fitting{steps: 400, batch: 32, rate: 1e-2, noise: 0.1, hidden: 8, seed: 1}
	p := small.fitCorrections(list)
	without, with := 0.0, 0.0
	for _, c := range list {
		said := make([]float64, len(c.Gains))
		without += c.lost(said)
		for i, v := range p.Correction(c.Traits) {
			said[i] = float64(v) / 256
		}
		with += c.lost(said)
	}
	if with > without/4 {
		t.Errorf("%.2f dB are lost, without corrections %.2f", with/400, without/400)
	}
}

// The slopes of the squared error are those of differences.
func TestSlopesOfCorrections(t *testing.T) {
	c := correctionSample{Rest: 3, Noise: 2}
	at := make([]float64, len(c.Gains))
	for i := range at {
		c.Gains[i], c.Powers[i], at[i] = 0.3*float64(i), 7, 0.2*float64(i)-0.3
	}
	_, slopes := c.squaredError(at)
	for i, v := range at {
		const h = 1e-5
		at[i] = v + h
		above, _ := c.squaredError(at)
		at[i] = v - h
		below, _ := c.squaredError(at)
		at[i] = v
		if got := (above - below) / (2 * h); math.Abs(got-slopes[i]) > 1e-4*(1+math.Abs(got)) {
			t.Errorf("slope %d is %g, by differences %g", i, slopes[i], got)
		}
	}
}

// Samples of a picture are the same each time, and a report of them has every kind.
func TestSamples(t *testing.T) {
	folder, dir := t.TempDir(), t.TempDir()
	picture := must.Get(os.ReadFile(filepath.Join(golden.Root(t), "testdata", "hopper.png")))(t)
	must.Succeed(t, os.WriteFile(filepath.Join(folder, "hopper.png"), picture, 0o666))
	write := func(name string, args ...string) []byte {
		file := filepath.Join(dir, name)
		must.Succeed(t, run(append([]string{"sample", "-o", file}, append(args, folder)...)))
		return must.Get(os.ReadFile(file))(t)
	}
	if !bytes.Equal(write("a", "-n", "3"), write("b", "-n", "3")) {
		t.Error("samples differ from one run to the next")
	}
	write("whole", "-whole")
	samples := must.Get(readSamples[sample]([]string{filepath.Join(dir, "whole")}))(t)
	var text strings.Builder
	must.Succeed(t, report(&text, samples, flaws.Judge()))
	for _, kind := range kinds {
		if !strings.Contains(text.String(), kind) {
			t.Errorf("no line of %q in\n%s", kind, text.String())
		}
	}
	for _, args := range [][]string{{}, {"fit"}, {"fly", "x"}, {"report", "nothing"}, {"sample", "-o", "x", dir}} {
		if err := run(args); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
