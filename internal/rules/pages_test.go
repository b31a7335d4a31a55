package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"superres/internal/must"
)

// The length of README.md, which somebody reads in three minutes.
const (
	mostWords          = 1500
	mostParagraphWords = 80
)

// TestReadmeIsShort counts the words of README.md, and of each of its paragraphs: lines between
// blank ones that are no heading, table, list or code.
func TestReadmeIsShort(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join(root, "README.md")))(t)
	if n := len(strings.Fields(string(text))); n > mostWords {
		t.Errorf("README.md has %d words, at most %d", n, mostWords)
	}
	for paragraph := range strings.SplitSeq(codeBlock.ReplaceAllString(string(text), ""), "\n\n") {
		paragraph = strings.TrimSpace(paragraph)
		if n := len(strings.Fields(paragraph)); n > mostParagraphWords && !strings.ContainsAny(paragraph[:1], "#|-") {
			t.Errorf("README.md: a paragraph has %d words, at most %d: %.60s…", n, mostParagraphWords, paragraph)
		}
	}
}

var (
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// TestLinksResolve checks that each link of a page leads to a file of the repository, and one
// with a fragment to a heading of its page. Links to other hosts are not followed.
func TestLinksResolve(t *testing.T) {
	for _, page := range pages(t) {
		text := codeBlock.ReplaceAllString(read(t, page), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			path, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", page, m[1], err)
			} else if fragment != "" && !slices.Contains(anchors(read(t, target)), fragment) {
				t.Errorf("%s: the link %s names no heading of its page", page, m[1])
			}
		}
	}
}

// anchors returns the fragments by which the headings of a page are linked to.
func anchors(text string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		keep := func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
				return r
			}
			return -1
		}
		list = append(list, strings.Map(keep, strings.ToLower(m[1])))
	}
	return list
}

// pages returns the paths of the module's Markdown files.
func pages(t *testing.T) (list []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".md" {
			list = append(list, path)
		}
		return err
	})
	if err != nil || len(list) < 5 {
		t.Fatalf("%d pages: %v", len(list), err)
	}
	return list
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}
