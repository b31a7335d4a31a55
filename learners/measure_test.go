//go:build measure

package learners_test

import (
	"os"
	"testing"

	"superres/learners"
	"superres/learners/learnertest"
)

func TestMeasure(t *testing.T) {
	list := map[string]learners.Learner{
		"BLOTLESS": learners.BLOTLESS{}, "ROP": learners.ROP{}, "K-SVD": learners.KSVD{}, "Online": learners.Online{},
	}
	if os.Getenv("SUPERRES_FULL") != "" {
		list["plain BLOTLESS"] = learners.BLOTLESS{Plain: true}
		list["MOD"] = learners.MOD{}
		list["approximate K-SVD"] = learners.KSVD{Approximate: true}
		list["SimCO"] = learners.SimCO{}
		list["regularised SimCO"] = learners.SimCO{Mu: 0.1, Steps: 2}
	}
	for name, learner := range list {
		t.Run(name, func(t *testing.T) { learnertest.Measure(t, learner) })
	}
}
