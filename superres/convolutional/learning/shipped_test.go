package learning

import (
	"math"
	"reflect"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/superres"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/training"
)

// openShipped returns an embedded model by the name of its file.
func openShipped(t testing.TB, name string) *superres.Model {
	t.Helper()
	return must.Get(superres.Load(golden.Shipped(t, name)))(t)
}

// Defaults are the options recorded in the embedded model, except for the seed, the steps, the learning rate, the
// teachers, and the patches: better ones were found afterwards.
func TestDefaultsAreTheRecipe(t *testing.T) {
	recorded := golden.Recorded{TB: t, Command: openShipped(t, "photo.npz").Provenance.Command}
	flag, decimal, number := recorded.Flag, recorded.Decimal, recorded.Number
	want := Defaults()
	want.Scale, want.Degradation, want.Channels, want.Depth = number("scale"),
		resample.Degradation(flag("degradation")), number("channels"), number("depth")
	want.Synthetic, want.Decay = decimal("drawings"), decimal("weight-decay")
	want.BackProject, want.Symmetries = number("back-projection"), training.Symmetries(flag("symmetries"))
	if got := Defaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("the defaults are\n%+v\nthe model was trained by\n%+v", got, want)
	}
}

// Rounding trained networks to integers loses less than 0.01 dB of a picture whose error is as small as that of
// the best models. Embedded networks have been rounded before; the one trained here has not.
func TestIntegersLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	networks := map[string]*convolutional.Network{}
	for _, name := range []string{"photo.npz", "photo-fast.npz", "photo.x3.npz", "photo.x4.npz"} {
		s, ok := convolutional.Of(openShipped(t, name).Stages[0])
		if !ok {
			t.Fatalf("%s is of another kind", name)
		}
		networks[name] = s.Network()
	}
	l, d := begin(t, func() Trainer {
		o := newSmallTrainer()
		o.Depth, o.Patch, o.Batch, o.Steps = 4, 12, 4, 150
		return o
	}())
	for range l.opt.Steps {
		must.Succeed(t, l.step(t.Context(), d))
	}
	networks["one trained here"] = l.network()
	for name, n := range networks {
		low := picture.Round8(picture.Split(testimage.Drawing(120, 90, 7)).Luma())
		current := resample.Resize(low, n.Scale*low.W, n.Scale*low.H, resample.Bicubic)
		lack := must.Get(computeResidual(t.Context(), n, low))(t)
		got := must.Get(roundNetwork(t, n).Apply(t.Context(), low, current, nil))(t)
		squares := 0.0
		for i, v := range lack.Pix {
			e := float64(got.Pix[i] - picture.Clamp(current.Pix[i]+v))
			squares += e * e
		}
		const good = 3.2e-5 // 45 dB: a smooth picture that is restored well
		lost := 10 * math.Log10(1+squares/float64(len(lack.Pix))/good)
		t.Logf("%s: %.4f dB", name, lost)
		if !(lost < 0.01) {
			t.Errorf("%s: the integers lose %.4f dB", name, lost)
		}
	}
}
