package external_test

import "testing"

// must returns a function that ends a test for an error, and returns the value otherwise.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
