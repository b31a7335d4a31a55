package digits

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// Damage is found before anything is written: one clear line, the right exit code.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	complete := consoletest.IDX(consoletest.Rings(20, 28, 28))
	packed := gzipped(t, complete)
	badSum := slices.Clone(packed)
	badSum[len(badSum)-5] ^= 1
	labels := idxLabels(make([]uint8, 20)...)
	badLabels := gzipped(t, labels)
	badLabels[len(badLabels)-5] ^= 1
	for name, data := range map[string][]byte{
		"good": complete, "good.gz": packed, "short": complete[:16+17*784+300],
		"long": append(slices.Clone(complete), 0), "cut.gz": packed[:len(packed)/2],
		"sum.gz": badSum, "magic": append([]byte("\x89PNG"), complete[4:]...), "empty": nil, "labels": labels,
		"few": idxLabels(1, 2), "sumlabels.gz": badLabels,
		"shortlabels": labels[:20], "wide": {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 16, 0, 0, 0, 16, 0}, "none": complete[:4],
		"no-ubyte":  {0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 28},
		"there.idx": {}, "there.html": {}, "model.npz": []byte("PK no zip"),
		"tiny": consoletest.IDX(consoletest.Rings(1, 1, 5)), "png/00004.png": complete, "deep/00000.png": {},
	} {
		consoletest.Put(t, filepath.Join(dir, name), data)
	}
	lines := []consoletest.RefusedLine{
		{"short", 4, "short: image 17 of 20: file ends after 300 of 784 bytes"},
		{"long", 4, "long: file goes on after the last of 20 images"},
		{"cut.gz", 4, " of 20: file ends after "},
		{"sum.gz", 4, "sum.gz: after the last of 20 images: gzip: invalid checksum"},
		{"magic", 4, "magic: magic number: got 0x89504e47 (not IDX), expected 0x00000803 (IDX images)"},
		{"empty", 4, "empty: file is empty"},
		{"none", 4, "none: header: file ends after 4 of 16 bytes"},
		{"labels good", 4, "labels: magic number: got 0x00000801 (IDX labels), expected 0x00000803 (IDX images)"},
		{"good few", 4, "got 20 images in good but 2 labels in few, expected as many"},
		{"good good", 4, "(IDX images), expected 0x00000801 (IDX labels)"},
		{"good sumlabels.gz", 4, "after the last of 20 labels: gzip: invalid checksum"},
		{"good shortlabels", 4, "shortlabels: label 12 of 20"},
		{"missing", 4, "missing: no such file"},
		{"good missing", 4, "missing: no such file"},
		{"deep", 4, "deep: no t10k-images-idx3-ubyte.gz there"}, {"deep labels", 2, "leave out labels"},
		{"no-ubyte", 4, "no image is left to work on"},
		{"good --index 3 --skip-index 3", 4, "no image is left to work on"},
		{"tiny", 4, "images of 1×5 cannot be reduced by 2"},
		{"wide --max-pixels 16", 7, "images of 4096×4096 have more than 16 megapixels; use --max-pixels"},
		{"wide --max-memory 200 -j 2", 7, "the limit is 200 MiB; use --max-memory or a smaller -j"},
		{"wide", 7, "the pictures of the sheet would have 67 megapixels, the limit is 50"},
		{"good --index 20", 2, "good has 20 images, there is no image 20"},
		{"good --index x", 2, "no whole number from 0 on"},
		{"good --scale 1", 2, "--scale 1: expected 2 to 16"},
		{"good --degradation bocks", 2, `unknown degradation "bocks"`},
		{"good --sheet sheet.jpg", 2, "expected a name that ends in .html"},
		{"", 2, "no images: name an IDX file"},
		{"good labels few", 2, `3 files, expected a file of images and perhaps one of labels; got "few" as well`},
		{"-", 2, "standard input cannot be checked"},
		{"good -o -", 2, "standard output gets the scores"},
		{"good -o out.png", 2, "-o out.png: expected an IDX file"},
		{"good -o out", 2, "or a folder: out/"},
		{"good -m digit", 6, `did you mean "digits"?`},
		{"good -m ./model.npz", 6, "not an .npz file"},
		{"good -o there.idx", 5, "there.idx exists; use --on-exist overwrite or another -o"},
		{"good --sheet there.html", 5, "there.html exists; use --on-exist overwrite or another --sheet"},
		{"good -o deep", 5, "deep/00000.png exists; use --on-exist overwrite"},
		{"good -o nowhere/x.idx", 5, "nowhere/x.idx: cannot be written"},
		{"good -o good/", 5, "good: "},
		{"no-ubyte -o no-ubyte --on-exist overwrite", 5, "no-ubyte: -o would write over the input"},
		{"good no-ubyte -o no-ubyte --on-exist overwrite", 5, "no-ubyte: -o would write over the input"},
		{"png/00004.png -o png --on-exist overwrite", 5, "png/00004.png: -o would write over the input"},
		{"there.html --sheet ./there.html --on-exist overwrite", 5, "--sheet would write over the input"},
	}
	for i, l := range lines {
		if l.Code == 4 && !strings.Contains(l.Line, "-") {
			lines = append(lines, consoletest.RefusedLine{Line: l.Line + " -o newpng/", Code: 4, Want: l.Want})
		}
		if l.Code == 4 || l.Code == 7 {
			lines[i].Line += " -o new.idx3-ubyte.gz --sheet new.html"
		}
	}
	program.RefusesLines(t, dir, "mnist", lines)
	// An error of standard output has the exit code of outputs.
	if errs, code := program.Into(consoletest.Broken{}, "mnist", "good"); code != 5 {
		t.Errorf("a broken pipe: exit %d, %s", code, errs)
	}
}

// A file with the name of one of MNIST's and other content is named in a warning.
func TestWarns(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "t10k-images-idx3-ubyte"), consoletest.IDX(consoletest.Rings(3, 28, 28)))
	consoletest.Put(t, filepath.Join(dir, "other-labels"), idxLabels(1, 2, 3))
	sum, stderr := mnistJSON(t, dir, "t10k-images-idx3-ubyte", "other-labels")
	const want = "t10k-images-idx3-ubyte: not the official MNIST file of this name"
	if len(sum.Warnings) != 1 || !strings.HasPrefix(sum.Warnings[0], want) ||
		!strings.HasPrefix(stderr, "superres: warning: "+want) || sum.Official != "" ||
		strings.Count(stderr, "\n") != 2 {
		t.Errorf("%q\n%s", sum.Warnings, stderr)
	}
}
