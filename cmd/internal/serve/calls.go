package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	"superres/cmd/internal/console"
	"superres/cmd/internal/upscale"
)

// call answers one of the calls.
func (s *site) call(w http.ResponseWriter, r *http.Request, name string) {
	select {
	case <-s.ending:
		s.fail(w, errEnding)
		return
	default:
	}
	var err error
	switch name {
	case "upscale":
		if s.allows(w, r, http.MethodPost, http.MethodPut) {
			err = s.upscale(w, r)
		}
	default:
		s.refuse(w, http.StatusNotFound, console.ExitUsage, "there is no such call; expected upscale, inspect, events or score")
	}
	if err != nil {
		s.fail(w, err)
	}
}

// upscale enlarges the picture of a request.
func (s *site) upscale(w http.ResponseWriter, r *http.Request) error {
	params := r.URL.Query()
	ask, err := s.service.Request(r.Context(), params)
	if err != nil {
		return err
	}
	in, size, err := receive(w, r)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := newFile()
	if err != nil {
		return err
	}
	defer out.Close()
	result, err := ask.Upscale(r.Context(), in, size, out, func(upscale.Load) error { return nil }, func(float64) {})
	if err != nil {
		return err
	}
	in.Close() // room for others while this one is sent
	length, err := out.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = out.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/"+result.Format)
	h.Set("Content-Length", strconv.FormatInt(length, 10))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": result.Name}))
	h.Set("Superres-Result", inASCII(result.Event))
	send(w, out)
	return nil
}

// inASCII writes JSON in ASCII, as the head of an answer must be.
func inASCII(text json.RawMessage) string {
	var out []byte
	for _, r := range string(text) {
		switch {
		case r < 0x80:
			out = append(out, byte(r))
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return string(out)
}
