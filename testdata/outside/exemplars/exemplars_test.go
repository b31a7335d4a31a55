package exemplars

import (
	"testing"

	"superres/learners/learnertest"
)

func TestExemplars(t *testing.T) { learnertest.Run(t, Exemplars{}) }
