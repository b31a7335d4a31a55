package paths

import (
	"encoding/json"
	"testing"
)

// All names come back from JSON to the byte; valid UTF-8 stays as it is, and no two names have the same text.
func TestName(t *testing.T) {
	kept := map[string]string{}
	for name, want := range map[string]string{
		"":                     `""`,
		"a.png":                `"a.png"`,
		"größe/写真.png":         `"größe/写真.png"`,
		"a\xff.png":            `"a\u0000ff.png"`,
		"a\xfe.png":            `"a\u0000fe.png"`,
		"a\xff\xfe":            `"a\u0000ff\u0000fe"`,
		"a\ufffd.png":          "\"a\ufffd.png\"",
		`a\u0000ff.png`:        `"a\\u0000ff.png"`,
		"a\x00ff.png":          `"a\u000000ff.png"`,
		"\xed\xa0\x80.png":     `"\u0000ed\u0000a0\u000080.png"`, // half a surrogate pair
		"\xe5\x86":             `"\u0000e5\u000086"`,             // part of a character
		"a\xffff.png":          `"a\u0000ffff.png"`,
		"a b\n\"c\" <d>\u2028": `"a b\n\"c\" \u003cd\u003e\u2028"`,
	} {
		got, err := json.Marshal(Name(name))
		if err != nil || string(got) != want {
			t.Errorf("%q is kept as %s, expected %s (%v)", name, got, want, err)
		}
		if other, twice := kept[string(got)]; twice {
			t.Errorf("%q and %q are both kept as %s", name, other, got)
		}
		kept[string(got)] = name
		var back Name
		if err := json.Unmarshal(got, &back); err != nil || string(back) != name {
			t.Errorf("%q came back as %q (%v)", name, back, err)
		}
	}
	for _, bad := range []string{`"a\u0000"`, `"a\u0000f"`, `"a\u0000fg.png"`, `"\u0000\u0000ff"`} {
		var n Name
		if err := json.Unmarshal([]byte(bad), &n); err == nil {
			t.Errorf("%s is the name %q", bad, n)
		}
	}
}
