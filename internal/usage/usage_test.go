package usage_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"superres/internal/usage"
)

func TestErrorfWrapsErrSettingsAlone(t *testing.T) {
	err := usage.Errorf("%d legs: %v", 3, io.EOF)
	if !errors.Is(err, usage.ErrSettings) || errors.Is(err, io.EOF) || !strings.HasPrefix(err.Error(), "3 legs") {
		t.Error(err)
	}
}

func TestUnknown(t *testing.T) {
	coders, sizes := []string{"cosamp", "ksvd", "mod", "mp", "ols", "omp", "rop", "sp"}, []string{"all", "8", "16"}
	for _, c := range []struct {
		name, nearest string
		known         []string
	}{
		{"opm", "omp", coders}, {"ksdv", "ksvd", coders}, {"cosam", "cosamp", coders}, {"rop2", "rop", coders},
		{"a-b-c-d", "", coders}, {"12", "16", sizes}, {"9", "", sizes}, {"32", "", sizes}, {"", "", sizes},
		{"Al", "all", sizes}, {"161", "16", sizes}, {"x", "", nil},
	} {
		want := `unknown thing "` + c.name + `"`
		if c.nearest != "" {
			want += `; did you mean "` + c.nearest + `"?`
		}
		if want += " (known: " + strings.Join(c.known, " ") + ")"; c.known == nil {
			want = `unknown thing "x"; there are none`
		}
		if got := usage.Unknown("thing", c.name, c.known); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestMeant(t *testing.T) {
	known := []string{"fit", "format", "on-exist", "on-unreadable", "recursive", "resume", "scale"}
	for name, want := range map[string]string{
		"scael": "scale", "foramt": "format", "recursiv": "recursive", "recur": "recursive", "fi": "fit",
		"foo": "", "on": "", "on-": "", "on-e": "on-exist", "re": "", "": "", "wxyz": "",
	} {
		if got := usage.Meant(name, known); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
