package models

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// catalogueVariable is the environment variable with the file name or the address of another catalogue.
const catalogueVariable = "SUPERRES_CATALOGUE"

//go:embed catalogue.json
var ownCatalogue []byte

// listed is an entry of a catalogue: a network that superres models get can fetch.
type listed struct {
	Name   string `json:"name"`   // name of the user's model that the network becomes
	Scale  int    `json:"scale"`  // factor by which the network enlarges
	For    string `json:"for"`    // what the network is for, in a few words
	Author string `json:"author"` // who trained the network
	Terms  string `json:"terms"`  // name of the terms of use
	// NonCommercial says that the terms forbid commercial use, so that the user must accept them.
	NonCommercial bool         `json:"non_commercial,omitempty"`
	Files         []listedFile `json:"files"` // one file, or the two files of an ncnn network
}

// listedFile is a file of a network.
type listedFile struct {
	URL    string `json:"url"`  // address, perhaps relative to the address of the catalogue
	Size   int64  `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// String returns a line that describes the network: scale, use, terms, author and size.
func (l listed) String() string {
	size := int64(0)
	for _, f := range l.Files {
		size += f.Size
	}
	return safefile.OneLine(fmt.Sprintf("×%d, %s; %s, by %s, %.1f MB", l.Scale, l.For, l.Terms, l.Author,
		float64(size)/1e6))
}

// base returns the last part of the path in the address of f, or a name of only dots and slashes if there is none.
func (f listedFile) base() string {
	at, err := url.Parse(f.URL)
	if err != nil {
		return "."
	}
	return path.Base(at.Path)
}

const mostCatalogue = 4 << 20 // bytes in a catalogue

// openCatalogue returns the networks in the catalogue that SUPERRES_CATALOGUE names, a file or an address, by default
// the program's own. client fetches a catalogue at an address; if it is nil, such a catalogue counts as empty.
func openCatalogue(ctx context.Context, client *http.Client) (list []listed, err error) {
	name, text := os.Getenv(catalogueVariable), ownCatalogue
	at, err := url.Parse(name)
	remote := err == nil && (at.Scheme == "http" || at.Scheme == "https")
	if !remote {
		at = &url.URL{} // so check refuses relative addresses
	}
	switch {
	case remote && client == nil:
		return nil, nil
	case remote:
		text, err = fetchCatalogue(ctx, client, name)
	case name != "":
		text, err = safefile.ReadRegular(name, mostCatalogue)
	}
	if err != nil {
		return nil, console.Fail(console.ExitInput, fmt.Errorf("the catalogue %s: %w", name, err))
	}
	if err = json.Unmarshal(text, &list); err == nil {
		for i := range list {
			if err = list[i].check(at); err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, console.Failf(console.ExitInput, "the catalogue %s is not right: %v",
			cmp.Or(name, "of the program"), err)
	}
	return list, nil
}

// fetchCatalogue returns the catalogue at the given address. It fails if that has more than mostCatalogue bytes.
func fetchCatalogue(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	resp, err := ask(ctx, client, address, 0)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostCatalogue+1))
	if err == nil && len(text) > mostCatalogue {
		err = errors.New("is longer than 4 MiB")
	}
	return text, err
}

// check returns an error if the name, the terms or the files of l are missing or wrong. It makes the addresses of the
// files in l absolute; relative addresses are relative to base.
func (l *listed) check(base *url.URL) error {
	if err := checkName(l.Name); err != nil {
		return err
	}
	if len(l.Files) < 1 || len(l.Files) > 2 || l.Terms == "" {
		return fmt.Errorf("%s: expected one or two files, and terms", l.Name)
	}
	for i := range l.Files {
		f := &l.Files[i]
		to, err := base.Parse(f.URL)
		if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
			return fmt.Errorf("%s: the address %q: expected one of https:// or http://", l.Name, f.URL)
		}
		f.URL = to.String()
		sum, err := hex.DecodeString(f.SHA256)
		const most = 1 << 30 // bytes of a file
		switch {
		case err != nil || len(sum) != sha256.Size:
			return fmt.Errorf("%s: %s has no sum: expected sha256", l.Name, f.base())
		case f.Size < 1 || f.Size > most:
			return fmt.Errorf("%s: %s has %d bytes, expected 1 to %d", l.Name, f.base(), f.Size, most)
		case strings.Trim(f.base(), "./") == "" || strings.ContainsAny(f.base(), `\:`):
			return fmt.Errorf("%s: the address %q has no name of a file", l.Name, f.URL)
		}
	}
	return nil
}
