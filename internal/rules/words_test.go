package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"superres/internal/must"
)

// mostUses is how often the text files of the repository may use a phrase that hides its noun. A change may lower a
// figure, not raise it: write the noun, or say who does what.
var mostUses = map[string]int{"anew": 0, "that of": 120, "those of": 220, "what is": 242, "whose": 277}

// TestPhrasesHideNoNouns counts the phrases of mostUses, of one word or two, in all tracked text files but this one.
func TestPhrasesHideNoNouns(t *testing.T) {
	isNoLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	uses := map[string]int{}
	for _, name := range tracked(t) {
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) || name == "internal/rules/words_test.go" || !utf8.Valid(data) {
			continue // one that does not exist is deleted, and not yet in a commit
		}
		must.Succeed(t, err)
		before := ""
		for word := range strings.FieldsFuncSeq(strings.ToLower(string(data)), isNoLetter) {
			uses[word]++
			uses[before+" "+word]++
			before = word
		}
	}
	for phrase, most := range mostUses {
		t.Logf("%4d of at most %4d uses of %q", uses[phrase], most, phrase)
		if uses[phrase] > most {
			t.Errorf("%d uses of %q, at most %d: write the noun, or say who does what", uses[phrase], phrase, most)
		}
	}
}
