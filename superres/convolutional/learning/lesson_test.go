package learning

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"superres/internal/must"
)

// contrast is a patch of noise of which a network has to tell, by the mean of its results, how strong it is.
type contrast struct {
	rng      *rand.Rand
	strength float64
}

func (c contrast) Fill(window []float32, side int) {
	for i := range side * side {
		window[i] = float32(0.5 + c.strength*(c.rng.Float64()-0.5))
	}
}

func (c contrast) Grade(results, slopes []float32) float64 {
	mean := 0.0
	for _, v := range results {
		mean += float64(v) / float64(len(results))
	}
	off := mean - c.strength
	for i := range slopes {
		slopes[i] = float32(2 * off / float64(len(results)))
	}
	return off * off
}

// A network learns a number from lessons, which no single sample tells; the same ones give the same network.
func TestTeach(t *testing.T) {
	opt := Defaults()
	opt.Channels, opt.Depth, opt.Steps, opt.Batch, opt.Patch, opt.Interval = 16, 1, 300, 4, 8, 50
	var losses []float64
	opt.Report = func(r Report) { losses = append(losses, r.Loss) }
	lesson := func(step, number int) (Lesson, error) {
		rng := rand.New(rand.NewPCG(uint64(step), uint64(number)))
		return contrast{rng, rng.Float64()}, nil
	}
	first := must.Get(opt.Teach(t.Context(), "", lesson))(t)
	if len(losses) != 6 || losses[5] > losses[0]/5 {
		t.Errorf("losses %.4f, expected six that fall to less than a fifth", losses)
	}
	if second := must.Get(opt.Teach(t.Context(), "", lesson))(t); second.Fingerprint() != first.Fingerprint() {
		t.Error("the same lessons give another network")
	}
	ctx, stop := context.WithCancel(t.Context())
	opt.Keep = func(checkpoint []byte) error {
		opt.Kept = checkpoint
		stop()
		return nil
	}
	if _, err := opt.Teach(ctx, "lessons", lesson); !errors.Is(err, context.Canceled) {
		t.Fatalf("a training that is interrupted: %v", err)
	}
	opt.Keep, losses = nil, nil
	last := must.Get(opt.Teach(t.Context(), "lessons", lesson))(t)
	if last.Fingerprint() != first.Fingerprint() || len(losses) != 6 {
		t.Errorf("an interrupted training ends otherwise, after %d reports", len(losses))
	}
	losses = nil
	if must.Get(opt.Teach(t.Context(), "others", lesson))(t); len(losses) != 7 {
		t.Errorf("%d reports of a training that begins again, expected 7", len(losses))
	}
	opt.Kept = nil
	opt.From, opt.LearningRate = first, 1e-4
	losses = nil
	if must.Get(opt.Teach(t.Context(), "", lesson))(t); losses[0] > 0.01 {
		t.Errorf("a loss of %.4f, from a network that has learned", losses[0])
	}
}

// Options of pictures are refused, and a context that has ended ends the training.
func TestTeachFails(t *testing.T) {
	opt := Defaults()
	opt.SeesColour = true
	if _, err := opt.Teach(t.Context(), "", nil); err == nil || !strings.Contains(err.Error(), "brightness") {
		t.Errorf("a network that sees colour: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Defaults().Teach(ctx, "", nil); err == nil {
		t.Error("the context had ended")
	}
}
