package stagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"superres/superres/stage"
)

// memberName is the name of the subject in its file.
const memberName = "part"

// file returns the head of the subject and the bytes of a file with the subject.
func (c *check) file() (stage.Head, []byte) {
	var m stage.Members
	head, err := m.Add(memberName, c.subject)
	var b bytes.Buffer
	if err == nil {
		err = m.Write(&b, "parts.json", []byte("{}"))
	}
	if err != nil {
		c.failf("Save: %v", err)
	}
	return head, b.Bytes()
}

// open loads the subject from the bytes of a file, with the same checks as a program.
func (c *check) open(head stage.Head, data []byte) (subject, error) {
	f, err := stage.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return c.load(f, c.scale, head)
}

// checkSaved saves and loads the subject, and requires the same file and the same result from the loaded subject.
func (c *check) checkSaved() {
	head, data := c.file()
	back, err := c.open(head, data)
	if err != nil {
		c.failf("it does not load what it saved: %v", err)
		return
	}
	_, again := c.withSubject(back).file()
	if !bytes.Equal(data, again) || stage.Describe(back) != stage.Describe(c.subject) {
		c.failf("saved, loaded and saved it gives another file")
	}
	if in := c.picture(23, 17); !samePlanes(c.withSubject(back).run(in, nil), c.run(in, nil)) {
		c.failf("loaded it gives another result")
	}
}

// checkDamaged truncates files, flips bits, and sets parameters to values that are not allowed. Loading such a file may
// succeed or fail, but must not panic; a subject that is loaded must work.
func (c *check) checkDamaged() {
	head, data := c.file()
	attempt := func(what string, head stage.Head, data []byte, mustFail bool) {
		defer func() {
			if r := recover(); r != nil {
				c.failf("%s: panic: %v", what, r)
			}
		}()
		back, err := c.open(head, data)
		switch {
		case err == nil && mustFail:
			c.failf("%s is not refused", what)
		case err == nil:
			other := c.withSubject(back)
			other.run(other.picture(7, 5), nil)
		}
	}
	params := map[string]json.RawMessage{}
	if err := json.Unmarshal(head.Params, &params); err != nil {
		c.failf("its parameters are no JSON object: %v", err)
		return
	}
	with := func(name, value string) stage.Head {
		changed := maps.Clone(params)
		changed[name] = json.RawMessage(value)
		text, err := json.Marshal(changed)
		if err != nil {
			c.failf("%v", err)
		}
		return stage.Head{Kind: head.Kind, Params: text}
	}
	attempt("a parameter that nobody knows", with("unheard_of", "1"), data, true)
	attempt("parameters that are no object", stage.Head{Kind: head.Kind, Params: json.RawMessage("[1]")}, data, true)
	for i := range 8 {
		attempt("a file that is cut off", head, data[:len(data)*i/8], len(data) > 400)
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		for _, value := range []string{"-1", "0", "1", "3", "1e9", "2147483648", `"?"`, "null", "[]", "true"} {
			attempt(fmt.Sprintf("%s = %s", name, value), with(name, value), data, false)
		}
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for range 60 {
		bad := slices.Clone(data)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		attempt("a file with a wrong bit", head, bad, false)
	}
}
