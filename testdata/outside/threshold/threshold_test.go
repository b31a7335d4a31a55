package threshold

import (
	"testing"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func TestThreshold(t *testing.T) {
	sparsetest.Run(t, func(sparsity int, tolerance float64) sparse.Coder { return Threshold{sparsity, tolerance} })
}
