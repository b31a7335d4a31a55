package repair

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/disintegration/imaging"
	"superres/superres/flaws/measure"
)

func TestFound(t *testing.T) {
	out, _ := os.Create(os.Getenv("OUT"))
	for _, d := range []string{"m1", "m2", "m3", "m4", "m5", "m6", "m7", "clean", "grain"} {
		l, _ := filepath.Glob("/tmp/p83/" + d + "/*.png")
		n := 0
		for _, f := range l {
			img, _ := imaging.Open(f)
			m := FindUnsharp(img, measure.Parts(img))
			if m != (Unsharp{}) {
				n++
			}
			fmt.Fprintln(out, d, filepath.Base(f), m)
		}
		fmt.Println(d, n, len(l))
	}
}
