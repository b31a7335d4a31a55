// Photos is a photo server that enlarges pictures when they are asked for: an example for those who use superres in a
// server of their own.
//
//	go run ./photos FOLDER
//
// http://127.0.0.1:8080/photos/a/cat.jpg is the file a/cat.jpg of the folder, and /large/a/cat.jpg?scale=3 the same
// picture, three times as large; ?width=1600 and ?fit=1600x1200 work, too.
package main

import (
	"io/fs"
	"log"
	"net/http"
	"os"
	"time"

	"superres/superres/files"
	"superres/superres/handler"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: photos FOLDER")
	}
	pages, err := newServer(os.DirFS(os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: pages, ReadHeaderTimeout: 10 * time.Second}
	log.Printf("http://%s/photos/", server.Addr)
	log.Fatal(server.ListenAndServe())
}

// newServer returns a handler for the pictures of photos. All that it makes takes at most 1 GiB of memory at a time.
// Another 256 MiB keep results, so that the same picture is not made again. A result has at most 24 megapixels.
func newServer(photos fs.FS) (http.Handler, error) {
	large, err := handler.New(handler.Options{
		Files:   photos,
		Enlarge: files.Options{Effort: "fast", Limits: files.Limits{ResultPixels: 24e6, Time: 20 * time.Second}},
		Memory:  1 << 30, Results: 256 << 20, MaxAge: time.Hour,
		Log: func(r *http.Request, status int, err error) { log.Printf("%s: %d, %v", r.URL, status, err) },
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /photos/", http.StripPrefix("/photos/", http.FileServerFS(photos)))
	mux.Handle("GET /large/", http.StripPrefix("/large/", large))
	return mux, nil
}
