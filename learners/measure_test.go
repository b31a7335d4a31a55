//go:build measure

package learners_test

import (
	"testing"

	"superres/learners"
	"superres/learners/learnertest"
)

func TestMeasure(t *testing.T) {
	for name, learner := range map[string]learners.Learner{
		"BLOTLESS": learners.BLOTLESS{}, "plain BLOTLESS": learners.BLOTLESS{Plain: true},
		"MOD": learners.MOD{}, "ROP": learners.ROP{},
		"K-SVD": learners.KSVD{}, "approximate K-SVD": learners.KSVD{Approximate: true},
		"Online": learners.Online{}, "SimCO": learners.SimCO{}, "regularised SimCO": learners.SimCO{Mu: 0.1, Steps: 2},
	} {
		t.Run(name, func(t *testing.T) { learnertest.Measure(t, learner) })
	}
}
