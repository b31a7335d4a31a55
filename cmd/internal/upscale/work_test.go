package upscale

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/metadata"
	"superres/internal/parallel"
)

// Pictures get memory in order, and never more than there is.
func TestRoom(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const all = 100
	random := rand.New(rand.NewPCG(1, 1))
	needs := make([]int64, 300)
	numbers := make([]int, len(needs))
	for i := range needs {
		needs[i], numbers[i] = 1+random.Int64N(40), i
	}
	needs[77] = all // this picture must be in work alone
	r := newBudget(all)
	var mu sync.Mutex
	var order []int
	taken, most, together := int64(0), int64(0), 0
	change := func(by int64) {
		mu.Lock()
		defer mu.Unlock()
		taken += by
		most, together = max(most, taken), max(together, len(order))
	}
	err := parallel.Each(t.Context(), numbers, func(_ context.Context, i int) (int, error) {
		r.queue(i)
		mu.Lock()
		order = append(order, i)
		mu.Unlock()
		if i%10 == 3 { // refused
			r.next()
			return i, nil
		}
		r.take(needs[i])
		change(needs[i])
		r.next()
		runtime.Gosched()
		change(-needs[i])
		r.give(needs[i])
		return i, nil
	}, func(int) error { return nil })
	if err != nil || !slices.IsSorted(order) || len(order) != len(needs) || most != all || taken != 0 || r.free != all {
		t.Errorf("%v, order %v, at most %d of %d, %d left", err, order, most, all, taken)
	}
}

// mixture writes to dir pictures of many sizes, some damaged, and one with metadata that a BMP cannot hold.
func mixture(t *testing.T, dir string) {
	for i := range 24 {
		name := fmt.Sprintf("in/%02d.png", i)
		consoletest.Blobs(t, dir, 1+i*7%50, 1+i*5%31, name)
		if i%7 == 5 {
			putText(t, dir, name, "no picture")
		}
	}
	about := metadata.Metadata{XMP: []byte("<x:xmpmeta>who</x:xmpmeta>")}
	consoletest.Put(t, filepath.Join(dir, "in/03.png"),
		encoded(t, consoletest.Blob(30, 20), "png", imagefile.EncodeOptions{Metadata: about}))
}

// Results and the order of messages do not depend on the number of pictures in work at a time.
func TestSeveralAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	dir := t.TempDir()
	mixture(t, dir)
	var first map[string]string
	var told []string
	for _, flags := range []string{"-j 1", "-j 2", "-j 7", "-j 7 --max-memory 80"} {
		out := strings.ReplaceAll(flags, " ", "")
		stdout, stderr := expect(t, dir, "", "in --json -f bmp --effort fast -o "+out+" "+flags, 3)
		pictures, last := decodeEvents(t, stdout)
		if last.Done != 21 || last.Failed != 3 || last.Total != 24 {
			t.Fatalf("%s: %+v\n%s", flags, last, stderr)
		}
		begun, ended := 0, 0
		var now []string
		for _, e := range pictures {
			if e.Event == "start" {
				if begun++; e.Number != begun {
					t.Errorf("%s: number %d begins as number %d", flags, e.Number, begun)
				}
				continue
			}
			if ended++; e.Number != ended || ended > begun {
				t.Errorf("%s: number %d of %d begun ends as number %d", flags, e.Number, begun, ended)
			}
			if (len(e.Warnings) > 0) != strings.HasSuffix(string(e.Input), "03.png") {
				t.Errorf("%s: %s has the warnings %q", flags, e.Input, e.Warnings)
			}
			now = append(now, fmt.Sprint(e.Event, e.Input, e.Width, e.Height, e.Error, e.Warnings))
		}
		got := consoletest.Results(t, filepath.Join(dir, out))
		if first == nil {
			first, told = got, now
		}
		if !maps.Equal(got, first) || !slices.Equal(now, told) {
			t.Errorf("%s: %d results of %d; told %q, expected %q", flags, len(got), len(first), now, told)
		}
		// Messages come in order, each warning once.
		consoletest.InOrder(t, stderr, "05.png: not an image", "12.png: not an image", "19.png: not an image")
		if strings.Count(stderr, "not an image") != 3 || strings.Count(stderr, "03.png: ") != 1 {
			t.Errorf("%s: %s", flags, stderr)
		}
	}
}
