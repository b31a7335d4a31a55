package plugins

import (
	"slices"
	"testing"
)

// Specs splits at commas between specs and not at those within one.
func TestSpecs(t *testing.T) {
	got := Specs("rop, ksvd:exact=false,mod,blotless:inner=5,block=8 ,")
	if want := []string{"rop", "ksvd:exact=false", "mod", "blotless:inner=5,block=8"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got = Specs(`rop,exec:'my, own/mine.py' --x=1,limit=9s, exec:"b c",mod`)
	if want := []string{"rop", `exec:'my, own/mine.py' --x=1,limit=9s`, `exec:"b c"`, "mod"}; !slices.Equal(got,
		want) {
		t.Errorf("%q", got)
	}
}

// A label goes before a spec, and parameters of a spec are no labels.
func TestLabelled(t *testing.T) {
	specs, labels := Labelled(Specs("mod,my learner=exec:'./my, own.py',limit=9s,ksvd:exact=false," +
		"fast=rop:sweeps=1,norm=true"))
	if want := []string{"mod", "exec:'./my, own.py',limit=9s", "ksvd:exact=false",
		"rop:sweeps=1,norm=true"}; !slices.Equal(specs, want) {
		t.Errorf("%q", specs)
	}
	if len(labels) != 2 || labels[specs[1]] != "my learner" || labels[specs[3]] != "fast" {
		t.Errorf("%q", labels)
	}
}
