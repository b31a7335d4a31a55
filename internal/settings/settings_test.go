package settings

import (
	"fmt"
	"testing"
	"time"
)

// sample has a field for every kind of value.
type sample struct {
	on          bool
	word, any   string
	list        []string
	wait        time.Duration
	count       int
	seed        uint64
	share       float64
	bytes       int64
	stage, zoom *int
	parsed      []byte
	width       int
}

func (s *sample) table() Table {
	return Table{
		{Name: "on", To: Bool(&s.on, true), Help: "h"},
		{Name: "word", To: OneOf(&s.word, "red", "red", "blue"), Help: "h"},
		{Name: "any", Aliases: []string{"a"}, To: Text(&s.any, ""), Help: "the `FILE`", Path: true},
		{Name: "list", To: List(&s.list, nil), Help: "h"},
		{Name: "wait", To: Time(&s.wait, time.Minute), Help: "h"},
		{Name: "count", To: Num(&s.count, 5).AtLeast(1), Help: "a `N` of things"},
		{Name: "seed", To: Num(&s.seed, 1), Help: "h"},
		{Name: "share", To: Num(&s.share, 0.5).Between(0, 1.5), Help: "h", Request: true},
		{Name: "bytes", To: Num(&s.bytes, 2).Between(1, 100).In("MiB").Times(1 << 20), Help: "h"},
		{Name: "stage", To: Maybe(&s.stage, -1), Help: "h"},
		{Name: "zoom", To: Maybe(&s.zoom, 0).AtLeast(0), Help: "h"},
		{Name: "parsed", To: Parsed(&s.parsed, "x", func(text string) ([]byte, error) { return []byte(text), nil }),
			Help: "h"},
		{Name: "width", To: Num(&s.width, 0).AtLeast(1).In("pixels")},
	}
}

// Set stores a value, or returns an error of one line that names the option and the value.
func TestSet(t *testing.T) {
	for _, c := range []struct{ name, text, want, err string }{
		{"on", "false", "false", ""},
		{"on", "no", "true", `--on "no": expected true or false`},
		{"word", "blue", "blue", ""},
		{"word", "bleu", "red", `--word: unknown value "bleu"; did you mean "blue"? (known: red blue)`},
		{"list", "a,b", "a,b", ""},
		{"wait", "2.5", "2.5s", ""},
		{"wait", "1m30s", "1m30s", ""},
		{"wait", "-1s", "1m0s", "--wait -1s: expected more than no time"},
		{"wait", "soon", "1m0s", `--wait "soon": expected a time such as 30s or 2m`},
		{"count", "0x10", "16", ""},
		{"count", "0", "5", "--count 0: expected at least 1"},
		{"count", "1.5", "5", `--count "1.5": expected a whole number`},
		{"count", "99999999999999999999", "5", `--count "99999999999999999999": expected a whole number of a usual size`},
		{"seed", "-1", "1", `--seed "-1": expected a whole number, 0 or more`},
		{"share", "1.25", "1.25", ""},
		{"share", "NaN", "0.5", "--share NaN: expected 0 to 1.5"},
		{"share", "x", "0.5", `--share "x": expected a number`},
		{"bytes", "7", "7", ""},
		{"bytes", "0", "2", "--bytes 0: expected 1 to 100 MiB"},
		{"stage", "0", "0", ""},
		{"zoom", "-1", "0", "--zoom -1: expected 0 or more"},
		{"parsed", "abc", "abc", ""},
		{"width", "0", "0", "--width 0: expected 1 or more pixels"},
	} {
		o := new(sample).table().Find(c.name)
		err := o.Set(c.text)
		if got := o.To.String(); got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("--%s %s: %s, %v, expected %s, %s", c.name, c.text, got, err, c.want, c.err)
		}
	}
}

// The number that stands for a missing one, and no value at all, give nil; 0 gives 0.
func TestMaybe(t *testing.T) {
	s := new(sample)
	options := s.table()
	if s.stage != nil || s.zoom != nil || options.Find("stage").To.String() != "-1" {
		t.Error("a number that was not given is there")
	}
	for _, text := range []string{"3", "0", "-1"} {
		if err := options.Find("stage").Set(text); err != nil {
			t.Error(err)
		}
		if missing := s.stage == nil; missing != (text == "-1") || !missing && fmt.Sprint(*s.stage) != text {
			t.Errorf("%s: %v", text, s.stage)
		}
	}
	if s.bytes != 2<<20 || string(s.parsed) != "x" {
		t.Errorf("defaults: %d, %q", s.bytes, s.parsed)
	}
}

// Default, help and recorded value of an option are right before and after Set.
func TestOption(t *testing.T) {
	options := new(sample).table()
	for name, want := range map[string]string{
		"count": "N a N of things (default: 5)", "zoom": " h", "stage": " h", "on": " h", "any": "FILE the FILE",
	} {
		o := options.Find(name)
		for range 2 {
			if value, text := o.Usage(); value+" "+text != want {
				t.Errorf("--%s: %q, expected %q", name, value+" "+text, want)
			}
			if err := o.Set(map[string]string{
				"on": "true", "any": "folder/D.npy",
			}[name] + map[bool]string{true: "1"}[name != "on" && name != "any"]); err != nil {
				t.Error(err)
			}
		}
	}
	if got := fmt.Sprint(options.Find("a").Recorded(), options.Find("list").Recorded(),
		options.Find("list").Default()); got != "[D.npy] []" {
		t.Error(got)
	}
	if got := fmt.Sprint(options.Requested().Names(), options.Visible().Find("width"), options.Given("list", "a"),
		options.Given("any"),
	); got != "[share] <nil> false true" {
		t.Error(got)
	}
	_ = options.Find("word").Set("green")
	if err := options.Err(); err == nil || options.Find("word").Set("blue") != nil || options.Err() != nil {
		t.Errorf("%v, and when the last value is right %v", err, options.Err())
	}
	if d := options.Requested().Describe()[0]; d.Default != "0.5" || d.Least != 0.0 || d.Most != 1.5 {
		t.Errorf("%+v", d)
	}
}
