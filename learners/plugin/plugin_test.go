package plugin_test

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"superres/learners/plugin"
)

type animal struct {
	legs  int
	quiet bool
}

func (a *animal) Check() error {
	if a.legs < 0 {
		return plugin.Errorf("%d legs", a.legs)
	}
	return nil
}

func zoo() *plugin.Registry[*animal] {
	r := plugin.NewRegistry[*animal]("animal")
	for _, name := range []string{"zebra", "ant"} {
		r.Register(plugin.Info[*animal]{Name: name, Revision: len(name), New: func(fs *flag.FlagSet) *animal {
			a := &animal{}
			fs.IntVar(&a.legs, "legs", 4, "how many")
			fs.Var(plugin.Not{Value: &a.quiet}, "loud", "makes noise")
			return a
		}})
	}
	return r
}

func TestNew(t *testing.T) {
	r := zoo()
	if got := strings.Join(r.Names(), " "); got != "ant zebra" {
		t.Errorf("names not sorted: %s", got)
	}
	a, err := r.New("ant:legs=6,loud=false")
	if err != nil || *a != (animal{6, true}) {
		t.Fatalf("got %+v, %v", a, err)
	}
	if a, err = r.New("ant:loud=false,loud"); err != nil || *a != (animal{4, false}) {
		t.Fatalf("got %+v, %v", a, err)
	}
	if a, err = r.New("zebra"); err != nil || *a != (animal{4, false}) {
		t.Fatalf("got %+v, %v", a, err)
	}
	for _, p := range r.List()[0].Params() {
		if p.Name == "loud" && p.Default != "true" {
			t.Errorf("loud shows default %q", p.Default)
		}
	}
}

func TestRevision(t *testing.T) {
	if v, err := zoo().Revision("zebra:legs=6"); v != 5 || err != nil {
		t.Error(v, err)
	}
	if _, err := zoo().Revision("zebar"); err == nil || !errors.Is(err, plugin.ErrSettings) {
		t.Error(err)
	}
}

func TestErrorsNameWhatIsKnown(t *testing.T) {
	for spec, want := range map[string]string{
		"zebar":         `unknown animal "zebar"; did you mean "zebra"? (known: ant zebra)`,
		"":              `unknown animal "" (known: ant zebra)`,
		"ant:leg=6":     `unknown animal ant: parameter "leg"; did you mean "legs"? (known: legs loud)`,
		"ant:legs":      `parameter legs has no value`,
		"ant:legs=many": `animal ant: legs=many: `,
		"ant:loud=2":    `not true or false`,
		"ant:legs=-1":   `-1 legs`,
	} {
		_, err := zoo().New(spec)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, plugin.ErrSettings) {
			t.Errorf("%q: %v", spec, err)
		}
	}
}

// A plug-in with an argument has it first, whole, with the quotes that keep commas in it.
func TestArgument(t *testing.T) {
	type runner struct{ what, limit string }
	r := plugin.NewRegistry[*runner]("runner")
	r.Register(plugin.Info[*runner]{Name: "run", Argument: "what", New: func(fs *flag.FlagSet) *runner {
		v := &runner{}
		fs.StringVar(&v.what, "what", "", "what is run")
		fs.StringVar(&v.limit, "limit", "1", "how long")
		return v
	}})
	for spec, want := range map[string]runner{
		"run": {"", "1"}, "run:a=b c": {"a=b c", "1"}, `run:C:\x.exe 'a,b',limit=3`: {`C:\x.exe 'a,b'`, "3"},
		`run:"it's, mine",limit=3`: {`"it's, mine"`, "3"},
	} {
		if got, err := r.New(spec); err != nil || *got != want {
			t.Errorf("%s: %+v, %v", spec, got, err)
		}
	}
	for _, spec := range []string{"run:a,what=b", "run:a,b=c"} {
		if _, err := r.New(spec); err == nil || !strings.Contains(err.Error(), "(known: limit)") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
