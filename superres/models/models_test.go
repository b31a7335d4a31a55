package models_test

import (
	"errors"
	"testing"

	"superres/internal/must"
	"superres/superres"
	"superres/superres/models"
	"superres/superres/stage"
)

func open(t testing.TB, name string) *superres.Model {
	t.Helper()
	m := must.Get(models.Open(name))(t)
	return m
}

func TestUnknownNames(t *testing.T) {
	if _, err := models.Open("foto"); !errors.Is(err, superres.ErrModel) {
		t.Errorf("unknown model: %v", err)
	}
}

// The fingerprint follows the settings and the dictionary, not the provenance.
func TestFingerprint(t *testing.T) {
	seen := map[string]string{}
	add := func(name string, m *superres.Model) string {
		t.Helper()
		f, err := m.Fingerprint()
		if err != nil || seen[f] != "" {
			t.Errorf("%s has the fingerprint of %s (%v)", name, seen[f], err)
		}
		seen[f] = name
		return f
	}
	for _, name := range models.Names() {
		m := open(t, name)
		first := add(name, m)
		if kept := models.Fingerprint(name); !m.IsPlain() && kept != first {
			t.Errorf("models/fingerprints: expected the line %s %s, got %q", name, first, kept)
		}
		if name != "digits" {
			continue
		}
		again := open(t, name)
		again.Provenance = superres.Provenance{Command: "another"}
		if f, err := again.Fingerprint(); err != nil || f != first {
			t.Errorf("%s has two fingerprints (%v)", name, err)
		}
		none := 1
		tuned := must.Get(m.Tune(stage.Tuning{BackProject: &none}))(t)
		add("tuned "+name, tuned)
	}
}
