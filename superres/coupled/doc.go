// Package coupled has the stage of the paper Dictionary Learning Using Rank-One Projection: each low-resolution patch
// is coded over the low half of a dictionary and rebuilt from the high half. Package learning below this one trains it.
//
// stage.go cuts, codes, rebuilds and averages patches; recipe.go builds stages from the halves of any dictionary.
package coupled
