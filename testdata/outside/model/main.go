// Model writes a model file with the stage of this module to standard output.
package main

import (
	"fmt"
	"os"

	"example.org/outside/smooth"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/stage"
)

// main writes a model of a single stage, which takes 0.8 of a row and 0.1 of each neighbour, to standard output.
func main() {
	s, err := smooth.New([]float32{0.1, 0.8, 0.1})
	if err == nil {
		m := &superres.Model{Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic, Stages: []stage.Stage{s}}
		err = m.Save(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
