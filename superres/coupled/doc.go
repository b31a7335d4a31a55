// Package coupled has the stage of the paper: each low-resolution patch is coded over the low half of a
// dictionary and rebuilt from the high half. Package learning below this one trains it.
//
// stage.go cuts, codes, rebuilds and averages patches; recipe.go makes stages of the halves of any dictionary;
// usage.go counts how often each atom is used.
package coupled
