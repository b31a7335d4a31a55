package smooth

import (
	"testing"

	"superres/superres/stage/stagetest"
)

func TestStage(t *testing.T) {
	s, err := New([]float32{0.25, 0.5, 0.25})
	if err != nil {
		t.Fatal(err)
	}
	for scale := 2; scale <= 4; scale++ {
		stagetest.Run(t, scale, s)
	}
}
