package upscale

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// entry is a file of an archive.
type entry struct{ name, data string }

// pack returns a zip archive.
func pack(t *testing.T, list ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range list {
		head := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: time.Unix(1580000000, 0)}
		must.Get(must.Get(z.CreateHeader(head))(t).Write([]byte(e.data)))(t)
	}
	must.Succeed(t, z.SetComment("of a series"))
	must.Succeed(t, z.Close())
	return b.Bytes()
}

// unpack returns the files of an archive in their order.
func unpack(t *testing.T, path string) (list []entry, comment string) {
	t.Helper()
	z := must.Get(zip.OpenReader(path))(t)
	defer z.Close()
	for _, f := range z.File {
		r := must.Get(f.Open())(t)
		list = append(list, entry{f.Name, string(must.Get(io.ReadAll(r))(t))})
		r.Close()
	}
	return list, z.Comment
}

// A comic has the pages that a folder of them has, in its order and with its names. What is no page or is damaged stays
// as it is. One that was interrupted is gone on with, to the same bytes.
func TestBook(t *testing.T) {
	dir := t.TempDir()
	var book []entry
	for i, ext := range []string{"png", "jpg", "tif", "bmp", "jpg", "gif", "png", "jpg", "png"} {
		name := fmt.Sprintf("in/ch%d/p%d.%s", i/5, 9-i, ext)
		file := consoletest.Read(t, "../../../internal/mutate/seeds", map[string]string{"png": "colour.png",
			"jpg": "colour.jpeg", "tif": "lzw.tif", "bmp": "colour.bmp", "gif": "colour.gif"}[ext])
		consoletest.Put(t, filepath.Join(dir, name), file)
		book = append(book, entry{strings.TrimPrefix(name, "in/"), string(file)})
	}
	book = append(book, entry{"ch1/broken.jpg", book[1].data[:300]}, entry{"ComicInfo.xml", "<ComicInfo/>"})
	consoletest.Put(t, filepath.Join(dir, "book.cbz"), pack(t, book...))
	program.Succeeds(t, dir, "upscale", "-r", "in", "-o", "want", "--name", "{stem}", "-q", "--model", "bicubic")
	want := consoletest.Results(t, filepath.Join(dir, "want"))

	expect(t, dir, "", "book.cbz large.cbz -q --model bicubic", 3, "1 of 10 pictures failed")
	got, comment := unpack(t, filepath.Join(dir, "large.cbz"))
	if comment != "of a series" || len(got) != len(book) {
		t.Fatalf("%d files, comment %q", len(got), comment)
	}
	for i, e := range got {
		was, data := book[i], book[i].data
		if i < 9 {
			was.name = strings.Replace(was.name, ".gif", ".png", 1)
			data = want[was.name]
		}
		if e.name != was.name || e.data != data {
			t.Errorf("file %d is %s with %d bytes, want %s with %d", i, e.name, len(e.data), was.name, len(data))
		}
	}
	whole := consoletest.Read(t, dir, "large.cbz")
	text, code := program.Stopped("[2/", "upscale", "book.cbz", "-o", "again.cbz", "--resume", "--model", "bicubic")
	if code != 130 {
		t.Errorf("interrupted: exit %d, %s", code, text)
	}
	if done := consoletest.Results(t, filepath.Join(dir, "again.cbz.pages/results")); len(done) < 2 {
		t.Errorf("%d pages were done", len(done))
	}
	expect(t, dir, "", "book.cbz -o again.cbz -q", 5, "again.cbz.pages is left by a call that was interrupted")
	expect(t, dir, "", "book.cbz -o again.cbz --resume --model bicubic", 3,
		"again.cbz has the pages that failed as they were")
	if !bytes.Equal(consoletest.Read(t, dir, "again.cbz"), whole) {
		t.Error("after an interruption it is another book")
	}
	program.Interrupted(t, dir, "[1/", "upscale", "book.cbz", "-o", "third.cbz")
	expect(t, dir, "", "book.cbz -o again.cbz --resume", 0, "again.cbz is there already")
	expect(t, dir, "", "book.cbz -o again.cbz", 5, "again.cbz exists")
	left := must.Get(filepath.Glob(filepath.Join(dir, "*.cbz*")))(t)
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if !slices.Equal(left, []string{"again.cbz", "book.cbz", "large.cbz"}) {
		t.Errorf("left are %v", left)
	}
}

// An archive that is none, or would write elsewhere or without end, is refused in a line and leaves nothing.
func TestBadBooks(t *testing.T) {
	dir := t.TempDir()
	page := string(consoletest.Read(t, "..", "..", "..", "internal", "mutate", "seeds", "colour.png"))
	locked := pack(t, entry{"a.png", page})
	locked[6] |= 1
	at := bytes.LastIndex(locked, []byte("PK\x01\x02"))
	locked[at+8] |= 1
	zeros := strings.Repeat("\x00", consoletest.Full(0, 200<<20))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"text.cbz":  {[]byte("some text"), "is no archive that can be read"},
		"up.cbz":    {pack(t, entry{"../a.png", page}), "unsafe or there twice"},
		"root.cbz":  {pack(t, entry{"/a.png", page}), "unsafe or there twice"},
		"twice.cbz": {pack(t, entry{"a.png", page}, entry{"A.png", page}), "unsafe or there twice"},
		"lock.cbz":  {locked, "is encrypted"},
		"bomb.cbz": {pack(t, entry{"a.bmp", zeros}, entry{"b.bmp", zeros}, entry{"c.bmp", zeros}, entry{"d.bmp", zeros},
			entry{"e.bmp", zeros}, entry{"f.bmp", zeros}, entry{"g.bmp", zeros}), "100 times its size"},
		"empty.cbz": {pack(t, entry{"a.xml", "<a/>"}), "no pictures in this folder"},
	} {
		if name == "bomb.cbz" && consoletest.Full(0, 1) == 0 {
			continue // as it writes a gibibyte
		}
		consoletest.Put(t, filepath.Join(dir, name), c.data)
		code := 4
		if name == "bomb.cbz" {
			code = 7
		}
		expect(t, dir, "", name+" -o x.cbz", code, c.want)
		must.Succeed(t, os.Remove(filepath.Join(dir, name)))
	}
	if left := must.Get(os.ReadDir(dir))(t); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}
