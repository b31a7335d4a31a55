// Package repair undoes what is wrong with a picture, where that is proven or told: copies of samples (repeated.go),
// salt and pepper (salt.go), unsharp masks (unsharp.go, found by lattice.go), and blur and sharpening (correction.go).
// filter.go applies the filters of the last two. Results are new pictures; all of it computes in integers, or in
// float32 in one order, so that all machines agree.
package repair
