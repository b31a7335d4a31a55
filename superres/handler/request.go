package handler

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres/files"
)

// request is what a request asks for.
type request struct {
	name  string // of the file
	size  int64  // of the file, in bytes
	mtime time.Time
	opt   files.Options
	etag  string // tells the result from all others; with quotes
}

// read returns what r asks for.
func (h *Handler) read(r *http.Request) (q *request, err error) {
	q = &request{}
	if q.opt, err = h.options(r.URL.RawQuery); err != nil {
		return nil, err
	}
	q.name = strings.TrimPrefix(r.URL.Path, "/")
	if !fs.ValidPath(q.name) || strings.Contains(q.name, "\\") {
		return nil, fs.ErrNotExist
	}
	return q, q.identify(h.Files, h.version)
}

// options returns the options of a request with the parameters in query.
func (h *Handler) options(query string) (opt files.Options, err error) {
	opt = h.Enlarge
	params, err := url.ParseQuery(query)
	if err != nil {
		return opt, usage.Errorf("the parameters cannot be read")
	}
	for _, name := range []string{"scale", "width", "height", "fit", "short-side", "long-side", "min-size",
		"megapixels"} {
		if params.Has(name) && h.allows(name) { // a size of the request replaces that of Enlarge
			opt.Scale, opt.Width, opt.Height, opt.Fit = 0, 0, 0, false
		}
	}
	for name, values := range params {
		switch {
		case !h.allows(name):
			return opt, usage.Errorf("%s", usage.Unknown("parameter", name, h.Parameters))
		case len(values) > 1:
			return opt, usage.Errorf("%s is given %d times, expected once", name, len(values))
		}
		if err := opt.Set(name, values[0]); err != nil {
			return opt, err
		}
	}
	return opt, nil
}

// identify sets the size and the time of the file, and the ETag. version is that of all that makes results.
func (q *request) identify(from fs.FS, version string) error {
	file, err := from.Open(q.name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fs.ErrNotExist
	}
	if q.size, q.mtime = info.Size(), info.ModTime(); q.size > imagefile.MaxBytes {
		return safefile.Refuse(files.ErrLimit, "picture", "has more than %d MiB", imagefile.MaxBytes>>20)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%q %d %d %s\n", version, q.name, q.size, q.mtime.UnixNano(), textOf(q.opt))
	if q.mtime.IsZero() { // as in package embed: only the content tells
		if _, err := io.Copy(sum, io.LimitReader(file, q.size)); err != nil {
			return err
		}
	}
	q.etag = `"` + hex.EncodeToString(sum.Sum(nil)[:16]) + `"`
	return nil
}

// textOf returns opt as a text that differs for options that differ in what they make.
func textOf(opt files.Options) string {
	number := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprint(*v)
	}
	denoise, strength := number(opt.Denoise), number(opt.Strength)
	opt.Denoise, opt.Strength, opt.Open, opt.Limits = nil, nil, nil, files.Limits{}
	return fmt.Sprintf("%+v %s %s", opt, denoise, strength)
}

// open opens the file and returns its content, a *bytes.Reader if it had to be read into memory.
func (q *request) open(from fs.FS) (file fs.File, at io.ReaderAt, err error) {
	if file, err = from.Open(q.name); err != nil {
		return nil, nil, err
	}
	err = q.check(file)
	at, is := file.(io.ReaderAt)
	if err == nil && !is {
		data := make([]byte, q.size)
		_, err = io.ReadFull(file, data)
		at = bytes.NewReader(data)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, at, nil
}

// check fails if file is not what it was when the request came.
func (q *request) check(file fs.File) error {
	info, err := file.Stat()
	if err == nil && (info.Size() != q.size || !info.ModTime().Equal(q.mtime)) {
		err = errors.New("the file has changed while it was read")
	}
	return err
}

// matches reports whether etag is among the entity tags in the values of If-None-Match.
func matches(values []string, etag string) bool {
	return slices.ContainsFunc(values, func(list string) bool {
		for tag := range strings.SplitSeq(list, ",") {
			if strings.TrimPrefix(strings.TrimSpace(tag), "W/") == etag {
				return true
			}
		}
		return false
	})
}
