package main

import (
	"bytes"
	"image"
	_ "image/png"
	"net/http/httptest"
	"os"
	"testing"
)

// Pictures come as they are and enlarged, the second time from memory, and what is too large is refused.
func TestPhotos(t *testing.T) {
	pages, err := newServer(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	get := func(target string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, httptest.NewRequest("GET", target, nil))
		return answer
	}
	if got := get("/photos/hopper.png"); got.Code != 200 {
		t.Errorf("the picture: %d", got.Code)
	}
	for range 2 {
		got := get("/large/hopper.png?width=200")
		large, _, err := image.Decode(bytes.NewReader(got.Body.Bytes()))
		if err != nil || large.Bounds().Dx() != 200 || got.Header().Get("Cache-Control") != "max-age=3600" {
			t.Errorf("%d, %v, %v", got.Code, err, got.Header())
		}
	}
	for target, want := range map[string]int{"/large/none.png": 404, "/large/hopper.png?scale=99": 400,
		"/large/hopper.png?width=2000&height=2048": 200, "/large/crops.jpg?scale=16": 413} {
		if got := get(target); got.Code != want {
			t.Errorf("%s: %d, expected %d", target, got.Code, want)
		}
	}
}
