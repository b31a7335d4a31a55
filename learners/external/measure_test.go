//go:build measure

package external_test

import (
	"testing"

	"superres/learners/external"
	"superres/learners/learnertest"
)

func TestMeasure(t *testing.T) {
	t.Run("with codes", func(t *testing.T) {
		learnertest.Measure(t, external.WithCodes{Learner: learner("serve", "codes")})
	})
	t.Run("without", func(t *testing.T) { learnertest.Measure(t, external.WithoutCodes{Learner: learner("serve")}) })
}
