package learning

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// checked holds the mean squared errors of the enlargements of an uncorrected picture by the clean model, by the robust
// model at the measured strength, by the model of these two that the measured strength suggests, and by auto.
type checked struct{ Clean, Robust, Choice, Auto float64 }

// Check writes how well this program enlarges pictures, from which nothing may have been learned. For parts with each
// kind of damage it writes the gains in dB on the better of bicubic and Lanczos interpolation (a table in
// superres/README.md), and the percentage of parts that are worse by 0.2 dB, for Choice and for Auto; then how well the
// bounds of errors hold.
func Check(ctx context.Context, w io.Writer, o Options) error {
	s, err := newSampler(o.Folders, true)
	if err != nil {
		return err
	}
	s.seed = 9
	list, err := samples(ctx, o.of(2000), func(ctx context.Context, number int) (sample, error) {
		return s.shares(ctx, number)
	})
	if err != nil {
		return err
	}
	rows := map[string][]sample{}
	for _, one := range list {
		if one.hasTraits() {
			rows[one.Kind], rows["~all"] = append(rows[one.Kind], one), append(rows["~all"], one)
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\tpictures\tphoto\tphoto-real\tby noise alone\tauto\tworse\tby auto\t")
	for _, kind := range slices.Sorted(maps.Keys(rows)) {
		var sum [4]float64
		var worse [4]int
		for _, one := range rows[kind] {
			for i, squared := range [...]float64{one.Clean, one.Robust, one.Choice, one.Auto} {
				gain := one.gain(squared)
				if sum[i] += gain; gain < -0.2 {
					worse[i]++
				}
			}
		}
		n := float64(len(rows[kind]))
		fmt.Fprintf(t, "%s\t%.0f\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f %%\t%.0f %%\t\n", kind, n, sum[0]/n, sum[1]/n,
			sum[2]/n, sum[3]/n, 100*float64(worse[2])/n, 100*float64(worse[3])/n)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for scale := 2; scale <= 4; scale++ {
		byKind, err := s.pixels(ctx, scale, o.of(600))
		if err != nil {
			return err
		}
		if err := reportBounds(w, scale, byKind); err != nil {
			return err
		}
	}
	return nil
}
