package mutate

import (
	"bytes"
	"strings"
	"testing"
)

// Every valid file is of a known format, is taken apart into several pieces, and comes out of them as it was.
func TestSeedsSurvive(t *testing.T) {
	for _, s := range append(New(t).Seeds, NewLarge(t).Seeds...) {
		f := formatOf(s.Data)
		if f == nil {
			t.Errorf("%s: of no format", s.Name)
			continue
		}
		parts := f.split(s.Data)
		joined := f.join(parts)
		if len(parts) < 2 {
			t.Errorf("%s: %d parts", s.Name, len(parts))
		}
		if !bytes.Equal(joined, s.Data) {
			t.Errorf("%s: %d bytes become %d", s.Name, len(s.Data), len(joined))
		}
	}
}

// The same number gives the same file, and hardly any is as it was. Every operation comes up.
func TestMutants(t *testing.T) {
	m := New(t)
	valid := map[string]bool{}
	for _, s := range m.Seeds {
		valid[string(s.Data)] = true
	}
	const n = 5000
	same, all := 0, &strings.Builder{}
	for i := range uint64(n) {
		a := m.Mutant(i)
		if b := m.Mutant(i); !bytes.Equal(a.Data, b.Data) || a.Changes != b.Changes {
			t.Fatalf("mutant %d of %s is another the second time: %s, %s", i, a.Name, a.Changes, b.Changes)
		}
		if valid[string(a.Data)] {
			same++
		}
		all.WriteString(a.Changes + ", ")
	}
	if same > n/10 {
		t.Errorf("%d of %d mutants are as they were", same, n)
	}
	for _, what := range []string{
		"swap ", "repeat ", "drop ", "front ", "back ", "insert ", "end as another", "rename ", "set ",
		"lie ",
		"spoil ", "cut ", "grow ", "flip ", " times", "settle", "truncate ", "twice", "goes on", "front acTL",
		"front fcTL",
		"front ANMF", "lie fdAT", "repeat entry", "set IHDR", "set VP8X", "set ANMF", "set VP8 ", "set entry",
		"set link",
		"set image", "set C2", "set DA", "set screen", "set W",
	} {
		if !strings.Contains(all.String(), what) {
			t.Errorf("no mutant has %q", what)
		}
	}
}

// Whatever bytes a fuzzer hands over, they can be changed, and only their choices decide how.
func FuzzChange(f *testing.F) {
	m := New(f)
	for i, s := range m.Seeds {
		f.Add(s.Data, []byte{byte(i), 200, 3, 17})
	}
	f.Fuzz(func(t *testing.T, data, choices []byte) {
		before := bytes.Clone(data)
		a := m.Change(data, choices)
		if !bytes.Equal(data, before) {
			t.Fatal("the file was changed in place")
		}
		if b := m.Change(data, choices); !bytes.Equal(a, b) {
			t.Fatal("not the same the second time")
		}
	})
}
