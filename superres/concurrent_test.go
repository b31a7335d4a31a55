package superres

import (
	"context"
	"errors"
	"image"
	"reflect"
	"sync"
	"testing"
)

// One model enlarges many pictures at once, of which some are given up, as it enlarges
// them one by one: what the calls keep to use again, they keep apart.
func TestUpscaleAtOnce(t *testing.T) {
	for _, name := range []string{"photo", "coupled"} {
		m := builtin(t, name)
		type call struct {
			img  image.Image
			opt  Options
			want image.Image
		}
		var calls []call
		for i, scale := range []float64{2, 3, 2.5, 4, 1.5, 2} {
			opt := Options{Scale: scale, BandRows: 7 * (i % 3)}
			calls = append(calls, call{img: grain(31+16*i, 23+i, []int{1, 3, 4}[i%3]), opt: opt})
		}
		for i, c := range calls {
			var err error
			if calls[i].want, err = m.Upscale(t.Context(), c.img, c.opt); err != nil {
				t.Fatal(err)
			}
		}
		fresh := builtin(t, name) // whose siblings are not open yet
		var wg sync.WaitGroup
		for range 2 {
			for i, c := range calls {
				wg.Go(func() {
					got, err := fresh.Upscale(t.Context(), c.img, c.opt)
					if err != nil || !reflect.DeepEqual(got, c.want) {
						t.Errorf("%s, picture %d: not what it is alone: %v", name, i, err)
					}
				})
				wg.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					opt := c.opt
					opt.Progress = func(done float64) {
						if done > 0.3 {
							cancel()
						}
					}
					if _, err := fresh.Upscale(ctx, c.img, opt); err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("%s, picture %d: %v", name, i, err)
					}
				})
			}
		}
		wg.Wait()
	}
}
