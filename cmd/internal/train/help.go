package train

import (
	"cmp"

	"superres/cmd/internal/console"
	"superres/internal/settings"
)

// examples are for the short help.
const examples = `   superres train photos/ -o my.npz                  learns dictionaries
   superres train --convolutional photos/ -o my.npz  learns a network: the best, in an hour or two
   python -m superres.train photos/ -o my.npz        the same by PyTorch, on a GPU
   superres upscale -m my.npz photo.jpg  enlarges with it`

// The titles of groups of options: for models of all kinds, or of one kind.
const (
	forAll           = "all models"
	forConvolutional = "convolutional stages, with --convolutional"
	forDictionaries  = "dictionaries, without --convolutional"
)

var groups = []string{forAll, forDictionaries, forConvolutional, console.Reports, console.Machine}

// briefs are the help texts of the options in the short help.
var briefs = map[string]string{
	"output":        "where the model goes; the name ends in .npz",
	"scale":         "learn to enlarge by 2, 3 or 4",
	"convolutional": "learn convolutions instead of dictionaries: the best pictures, and the longest training",
	"channels":      "with --convolutional: channels a layer, 16, 32, 48 or 64",
	"depth":         "with --convolutional: layers",
	"steps":         "with --convolutional: how long to learn; 2000 make a useful model",
	"damage":        "with --convolutional: learn to take away noise and compression too",
	"teachers":      "with --convolutional: learn from what other models make of the pictures, too",
	"learner":       "the learner of dictionaries, of superres learners",
	"atoms":         "atoms of a dictionary",
	"iterations":    "of a dictionary, at most",
	"held-out":      "keep so many pictures from training, and score the model with them",
	"recursive":     "take folders with all below them",
	"on-exist":      "if the model is there already: fail or overwrite",
	"jobs":          "use so many processors at most; 0: all",
}

// leveled returns the options of table with Brief, the text in the short help, and Group, the heading in the full
// help, which says for which kinds of models an option is. An option without Kinds is for all.
func (opt *Options) leveled() settings.Table {
	t := opt.table()
	for _, o := range t {
		o.Brief = briefs[o.Name]
		switch {
		case len(o.Kinds) == 0:
			o.Group = cmp.Or(o.Group, forAll)
		case o.Kinds[0] == convolutionalStages:
			o.Group = forConvolutional
		default:
			o.Group = forDictionaries
		}
	}
	return t
}
