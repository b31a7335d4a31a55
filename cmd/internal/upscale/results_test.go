package upscale

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// Results of all formats that can carry a record are left out beside other pictures, whatever they are called now, and
// the parts of --shard agree on them.
func TestResultsAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 8, 5, "a.png", "b.png")
	for _, ext := range []string{"png", "jpg", "tif"} {
		succeeds(t, dir, "-q a.png -m nearest -o large."+ext)
	}
	frame := consoletest.Blob(8, 5)
	consoletest.Put(t, filepath.Join(dir, "in.gif"), scenes(t, "gif", 1, frame, frame))
	succeeds(t, dir, "-q in.gif -m nearest -o large.gif")
	must.Succeed(t, os.Remove(filepath.Join(dir, "in.gif")))
	results := []string{"large.gif", "large.jpg", "large.png", "large.tif"}
	for _, flags := range []string{"", "--shard 0/2 ", "--shard 1/2 "} {
		stdout, _ := expect(t, dir, "", ". -o out --json --dry-run -m nearest "+flags, 0)
		var left, planned []string
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		for _, line := range lines {
			switch ev := consoletest.Decode[pictureEvent](t, line); ev.Event {
			case "result":
				left = append(left, string(ev.Input))
			case "plan":
				planned = append(planned, string(ev.Input))
			}
		}
		summary := consoletest.Decode[summaryEvent](t, lines[len(lines)-1])
		if !slices.Equal(left, results) || summary.Results != len(results) || summary.Total != len(planned) ||
			flags == "" && !slices.Equal(planned, []string{"a.png", "b.png"}) {
			t.Errorf("%s: left out %v, planned %v, %+v", flags, left, planned, summary)
		}
	}
	expect(t, dir, "", ". -o out -m nearest", 0, "4 pictures that superres enlarged before are left out; --on-result ")
	expect(t, dir, "", ". -o out2 -m nearest -v", 0, "large.jpg: left out, superres enlarged it before")
	expect(t, dir, "", ". -o all -m nearest -q --on-result take", 0)
	if all := consoletest.Tree(t, filepath.Join(dir, "all")); len(all) != 6 {
		t.Errorf("with --on-result take: %v", all)
	}
	// A result without a record is a picture like any other.
	succeeds(t, dir, "-q a.png -m nearest --provenance=false -o plain/c.png")
	succeeds(t, dir, "-q a.png plain/c.png -m nearest -s 3 -o both/")
	if both := consoletest.Tree(t, filepath.Join(dir, "both")); len(both) != 2 {
		t.Errorf("without a record: %v", both)
	}
}
