// Package coupled is the stage of the paper: each low-resolution patch is coded over the low half of
// a dictionary and rebuilt from the high half. Package learning below it trains one.
//
// Apply in stage.go cuts patches, codes them, rebuilds and averages them; recipe.go makes stages of
// the halves of a dictionary, wherever they come from; usage.go counts how often each atom is used.
package coupled
