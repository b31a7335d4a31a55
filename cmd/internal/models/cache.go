package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/networks"
)

// mostCached is the most bytes that the cache takes; beyond, what was not used for the longest time is removed.
const mostCached = 1 << 30

// cacheFolder returns the folder of the cache of imported networks, which may not exist.
func cacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "superres", "networks"), err
}

// cacheName returns the base name of the file in the cache for the network whose bytes have the SHA-256 sum.
func cacheName(sum string) string {
	return fmt.Sprintf("%s-v%d%s", sum, networks.ImportVersion, suffix)
}

// cached returns the model in the cache for the network whose bytes have the SHA-256 sum, or nil if there is none that
// can be used.
func cached(sum string) *superres.Model {
	dir, err := cacheFolder()
	if err != nil {
		return nil
	}
	path := filepath.Join(dir, cacheName(sum))
	m, err := load(path)
	if err != nil || m.Provenance.Imported == nil || m.Provenance.Imported.SHA256 != sum {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // or it is taken for unused, and imported once more than necessary
	return m
}

// keepCached writes m, the model of the network whose bytes have the SHA-256 sum, into the cache. It returns a few
// words on where it is, or why it is not there.
func keepCached(sum string, m *superres.Model) (outcome string) {
	dir, err := cacheFolder()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = safefile.WriteAtomicMode(0o600, filepath.Join(dir, cacheName(sum)), true, m.Save)
	}
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e
		}
		return fmt.Sprintf("it is not kept, and imported again the next time: %v", err)
	}
	return fmt.Sprintf("kept in %s, which has %s", dir, console.Bytes(trim(dir, mostCached)))
}

// trim removes models from the cache dir, least recently used ones first, until they take most bytes at most, and
// returns how many they take.
func trim(dir string, most int64) (bytes int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	var list []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), suffix) {
			list = append(list, info)
			bytes += info.Size()
		}
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range list {
		if bytes <= most {
			break
		}
		if os.Remove(filepath.Join(dir, info.Name())) == nil {
			bytes -= info.Size()
		}
	}
	return bytes
}
