// Package must ends tests at an error that they do not expect.
package must

import "testing"

// Get returns a function that returns v, and ends the test if err is not nil:
//
//	data := must.Get(os.ReadFile(name))(t)
func Get[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Succeed(t, err)
		return v
	}
}

// Succeed ends the test if err is not nil.
func Succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
