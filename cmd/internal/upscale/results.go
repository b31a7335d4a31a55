package upscale

import (
	"fmt"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/parallel"
)

// leaveResults divides list into inputs, which are enlarged, and results, which superres made in earlier calls, so that
// a command on *.jpg can be given twice. Both keep the order of list. All pictures become inputs if --on-result is
// take, or if all are results: then the user means results. It fails if the last of several arguments is a folder with
// nothing but results: then the user means it as the output folder.
func (opt Options) leaveResults(list []pictures.Input) (inputs, results []pictures.Input, err error) {
	if len(list) == 1 || opt.OnResult == "take" {
		return list, nil, nil
	}
	last, others := opt.Inputs[len(opt.Inputs)-1], false // others: the folder last has pictures besides results
	const perTask = 64                                   // number of files that one task looks at
	err = parallel.Ordered((len(list)+perTask-1)/perTask, func(k int) (are []bool) {
		for _, in := range list[k*perTask : min(len(list), (k+1)*perTask)] {
			are = append(are, enlarging.IsResult(in.Path))
		}
		return are
	}, func(are []bool) error {
		for _, is := range are {
			in := list[len(inputs)+len(results)] // the next one
			if is {
				results = append(results, in)
			} else {
				inputs = append(inputs, in)
				others = others || in.Root == last
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, nil, err
	case len(inputs) == 0 || len(results) == 0:
		return list, nil, nil
	case opt.Naming.Out == "" && !others && list[len(list)-1].Root == last: // last is a folder
		return nil, nil, console.Usage("%s has results of superres alone; to write there use -o %[1]s, to enlarge "+
			"these, too, --on-result take", last)
	}
	return inputs, results, nil
}

// tellResults returns a line about count pictures that are left out since superres enlarged them before.
func tellResults(count int) string {
	if count == 1 {
		return "1 picture that superres enlarged before is left out; --on-result take enlarges it, too"
	}
	return fmt.Sprintf("%d pictures that superres enlarged before are left out; --on-result take enlarges them, too",
		count)
}
