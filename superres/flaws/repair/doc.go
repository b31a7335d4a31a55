// Package repair undoes faults of a picture. It finds repeated samples (repeated.go), salt and pepper (salt.go), and
// unsharp masks (lattice.go, unsharp.go) by itself. Blur and sharpening are estimated by package learned
// (correction.go). filter.go applies filters. Results are new pictures. All computations are in integers, or in float32
// in a fixed order, so that all machines agree.
package repair
