package handler_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"superres/superres/files"
	"superres/superres/handler"
)

// A photo server enlarges its pictures when they are asked for.
func Example() {
	h, err := handler.New(handler.Options{
		Files:   os.DirFS("../../testdata"),
		Enlarge: files.Options{Effort: "fast", StripMetadata: true, Limits: files.Limits{Time: 10 * time.Second}},
		Memory:  512 << 20, Results: 64 << 20, MaxAge: time.Hour,
	})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/large/", http.StripPrefix("/large/", h))
	server := httptest.NewServer(mux)
	defer server.Close()

	answer, err := http.Get(server.URL + "/large/hopper.png?width=200&format=jpeg")
	if err != nil {
		panic(err)
	}
	answer.Body.Close()
	fmt.Println(answer.Status, answer.Header.Get("Content-Type"), answer.Header.Get("Cache-Control"))

	ask, _ := http.NewRequest("GET", answer.Request.URL.String(), nil)
	ask.Header.Set("If-None-Match", answer.Header.Get("ETag"))
	if answer, err = http.DefaultClient.Do(ask); err != nil {
		panic(err)
	}
	answer.Body.Close()
	fmt.Println(answer.Status)
	// Output:
	// 200 OK image/jpeg max-age=3600
	// 304 Not Modified
}
