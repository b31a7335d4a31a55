package console

import (
	"fmt"
	"strconv"
	"strings"
)

// Counts reads positive numbers with commas.
func Counts(text string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || v < 1 || v > 1<<30 {
			return nil, fmt.Errorf("%q is no positive number", part)
		}
		list = append(list, v)
	}
	return list, nil
}
