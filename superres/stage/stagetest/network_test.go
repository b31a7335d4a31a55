package stagetest

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"

	"superres/patches/plane"
	"superres/superres/stage"
)

// Networks that keep their promises pass.
func TestRunNetwork(t *testing.T) {
	for _, b := range []Blur{{1, 3, 1, false}, {2, 1, 5, true}, {4, 3, 20, true}, {3, 1, 0, false}} {
		RunNetwork(t, b)
	}
}

// liar is a network that lies about itself.
type liar struct {
	Blur
	lie string
}

func (l liar) Start(w, h int) stage.NetworkRun {
	b := l.Blur
	if l.lie == "reach" {
		b.Radius++
	}
	return &liarRun{blurRun: b.Start(w, h).(*blurRun), lie: l.lie}
}

func (l liar) Save(a *stage.Arrays) any {
	l.Blur.Save(a)
	if l.lie == "save" {
		return Blur{l.Factor, l.Planes, l.Radius + 1, false}
	}
	return l.Blur
}

func (l liar) Reach() int {
	if l.lie == "late" {
		return l.Radius - 1
	}
	return l.Radius
}

func (l liar) Memory(w, h int) (fixed, working int64) {
	if l.lie == "too much" {
		return 0, 1 << 40
	}
	return l.Blur.Memory(w, h)
}

type liarRun struct {
	*blurRun
	lie   string
	calls int
	first *plane.Plane
	hoard []float32
}

func (r *liarRun) Push(ctx context.Context, rows []*plane.Plane, w *stage.Work) ([]*plane.Plane, error) {
	r.calls++
	switch r.lie {
	case "input":
		defer func() { rows[0].Pix[0] = 0 }()
	case "memory":
		if r.hoard == nil {
			r.hoard = make([]float32, 4<<20)
		}
	case "ctx":
		ctx = context.Background()
	case "progress":
		w = nil
	}
	out, err := r.blurRun.Push(ctx, rows, w)
	if len(out) == 0 {
		return out, err
	}
	switch p := out[0]; r.lie {
	case "division":
		p.Pix[0] += float32(r.calls)
	case "workers":
		p.Pix[0] += float32(runtime.GOMAXPROCS(0))
	case "NaN":
		p.Pix[len(p.Pix)-1] = float32(math.NaN())
	case "rows":
		p.H, p.Pix = p.H-1, p.Pix[:p.W*(p.H-1)]
	case "keeps":
		if r.first == nil {
			r.first = rows[0]
		}
		p.Pix[0] = r.first.Pix[0]
	case "same":
		if rows[0] == rows[1] {
			p.Pix[0]++
		}
	}
	return out, err
}

// A network that lies is found out by what it lies about.
func TestRunNetworkFindsLies(t *testing.T) {
	for lie, want := range map[string]string{
		"": "", "reach": "of Reach count", "late": "of Reach count", "input": "changes what it is given",
		"memory": "Memory says", "too much": "far too much", "ctx": "context", "progress": "progress ends at",
		"division": "in parts", "workers": "workers give other bits", "NaN": "is NaN", "rows": "wrong size",
		"keeps": "in parts", "same": "the same one", "save": "saved",
	} {
		var got failures
		RunNetwork(&got, liar{Blur{2, 3, 4, false}, lie})
		expect(t, "network", lie, got, want)
		if lie == "" && len(got) > 0 {
			t.Log(strings.Join(got, "\n"))
		}
	}
}
