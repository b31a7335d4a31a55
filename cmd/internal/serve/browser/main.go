//go:build !js

// Command browser writes the page of superres serve as static files to a folder, which any web server can serve, such
// as python3 -m http.server. The page enlarges pictures in web workers, which run superres as WebAssembly:
//
//	go run ./cmd/internal/serve/browser FOLDER
//
// main_js.go is the program of a worker, worker.js starts that program, and page/local.js passes calls to workers. The
// same commit and Go version give the same bytes.
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/serve/page"
	"superres/cmd/internal/upscale"
	"superres/internal/imagefile"
)

//go:embed worker.js
var workerScript []byte

// main writes the page to the folder that the argument names.
func main() {
	log.SetFlags(0)
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: go run ./cmd/internal/serve/browser FOLDER")
	}
	if err := write(flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// policy is the Content-Security-Policy of the page. It stands in index.html, since a static host sends no such header.
// Unlike the policy of superres serve, it also allows WebAssembly and workers.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
	"img-src 'self' blob:; connect-src 'self'; form-action 'none'; base-uri 'none'"

// write writes the page to folder, builds superres.wasm there, with flags added to go build, and prints its size.
func write(folder string, flags ...string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	index, err := page.Files.Index(page.Settings{Version: console.Version, Options: upscale.Parameters().Describe(),
		Models: []string{}, Compared: []string{"photo", "photo-real", "pixel"}, MaxBytes: imagefile.MaxBytes,
		Local: true})
	if err != nil {
		return err
	}
	head := []byte("<meta charset=\"utf-8\">\n")
	meta := fmt.Sprintf("<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy)
	index = bytes.Replace(index, head, append(head, meta...), 1)
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	files := map[string][]byte{"index.html": index, "wasm_exec.js": glue, "worker.js": workerScript}
	for _, name := range page.Files.Names() {
		if files[name] == nil {
			if files[name], err = page.Files.ReadFile(name); err != nil {
				return err
			}
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			return err
		}
	}
	program := filepath.Join(folder, "superres.wasm")
	flags = append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program}, flags...)
	if _, err := output("go", append(flags, "superres/cmd/internal/serve/browser")...); err != nil {
		return err
	}
	if err := os.Chmod(program, 0o666); err != nil {
		return err
	}
	code, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // no error for a valid level
	_, _ = w.Write(code)                                       // writing to memory cannot fail
	if err := w.Close(); err != nil {
		return err
	}
	fmt.Printf("%s: %.1f MB, %.1f MB where the host packs it by gzip\n", program, float64(len(code))/1e6,
		float64(packed.Len())/1e6)
	return nil
}

// output runs the command name with args, in an environment that makes Go build WebAssembly, and returns its output.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return string(out), err
}
