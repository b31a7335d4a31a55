package architectures

import (
	"fmt"
	"strconv"
	"strings"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// rrdbNet is RRDBNet (Wang et al.: ESRGAN, ECCVW 2018): residual blocks of three dense blocks each, then ×2 steps of
// nearest neighbour and a convolution. Some begin with a pixel unshuffle (Real-ESRGAN), some have a further 1×1
// convolution in each dense block (ESRGAN+, Rakotonirina and Rasoanaivo 2020). Files use one of three sets of names.
var rrdbNet = architecture{
	name: "RRDBNet", build: buildRRDBNet,
	has: func(tensors map[string]weights.Tensor) bool {
		_, found := findRRDBNames(tensors)
		return found
	},
}

// rrdbNames are the names of the convolutions of an RRDBNet.
type rrdbNames struct {
	// first, trunk, high and last stand before the blocks, after the blocks, after the steps, and at the end.
	first, trunk, high, last string
	// dense is a format for a name with the numbers of the residual block, the dense block and the convolution.
	dense string
	// up is a format for a name with the number of the enlarging step, from 1 on.
	up string
}

var newRRDBNames = []rrdbNames{
	{"conv_first", "conv_body", "conv_hr", "conv_last", "body.%d.rdb%d.conv%s", "conv_up%d"},
	{"conv_first", "trunk_conv", "HRconv", "conv_last", "RRDB_trunk.%d.RDB%d.conv%s", "upconv%d"},
}

// findRRDBNames returns the set of names that the tensors follow, and reports whether they belong to an RRDBNet.
func findRRDBNames(tensors map[string]weights.Tensor) (rrdbNames, bool) {
	for _, n := range newRRDBNames {
		if _, found := tensors[fmt.Sprintf(n.dense, 0, 1, "1")+".weight"]; found {
			return n, true
		}
	}
	if _, found := tensors["model.1.sub.0.RDB1.conv1.0.weight"]; !found {
		return rrdbNames{}, false
	}
	// The layers of the oldest networks are numbered: a convolution; the blocks and the trunk; three layers for each
	// step, the second of which is the convolution; a convolution and its activation; and the last convolution.
	last, blocks := 0, 0
	for key := range tensors {
		n := 0
		if _, err := fmt.Sscanf(key, "model.%d.weight", &n); err == nil {
			last = max(last, n)
		} else if _, err := fmt.Sscanf(key, "model.1.sub.%d.weight", &n); err == nil { // the trunk
			blocks = max(blocks, n)
		}
	}
	return rrdbNames{first: "model.0", trunk: fmt.Sprintf("model.1.sub.%d", blocks),
		high: fmt.Sprintf("model.%d", last-2), last: fmt.Sprintf("model.%d", last),
		dense: "model.1.sub.%d.RDB%d.conv%s.0", up: "model.%d"}, true
}

// step returns the name of the convolution of enlarging step i, from 1 on. Names "model…" count three layers per step.
func (n rrdbNames) step(i int) string {
	if strings.HasPrefix(n.up, "model") {
		i *= 3
	}
	return fmt.Sprintf(n.up, i)
}

// convolution returns the name of convolution k of a dense block: "1" to "5", or "1x1" for the further one of ESRGAN+,
// which lacks the ".0" that the others have at their end in the oldest networks.
func (n rrdbNames) convolution(block, dense int, k string) string {
	name := fmt.Sprintf(n.dense, block, dense, k)
	if k == "1x1" {
		name = strings.TrimSuffix(name, ".0")
	}
	return name
}

// buildRRDBNet adds the nodes of an rrdbNet. The size of the network is its channels × its residual blocks. The result
// of the three dense blocks of a residual block, times 0.2, is added to their input.
func buildRRDBNet(b *builder) (output int, size string) {
	n, _ := findRRDBNames(b.tensors)
	first, last := b.get(n.first+".weight", 4), b.get(n.last+".weight", 4)
	features, channels := first.Shape[0], last.Shape[0]
	x := b.add("input", graph.Input{Channels: channels})
	if down := squareRoot(first.Shape[1] / channels); down > 1 {
		x = b.add("unshuffle", graph.PixelUnshuffle{Factor: down}, x)
	}
	x = b.conv(n.first, x)
	start, blocks := x, 0
	for ; b.has(n.convolution(blocks, 1, "1") + ".weight"); blocks++ {
		inner := x
		for dense := 1; dense <= 3; dense++ {
			inner = b.dense(n, blocks, dense, inner)
		}
		x = b.add("", graph.Add{}, b.scale(0.2, inner), x)
	}
	x = b.add("", graph.Add{}, b.conv(n.trunk, x), start)
	// In the oldest networks, a further step would have the number of convolution high or last.
	for i := 1; b.has(n.step(i)+".weight") && n.step(i) != n.high && n.step(i) != n.last; i++ {
		x = b.add("nearest", graph.Resize{By: graph.Nearest, Up: 2, Down: 1}, x)
		x = b.leaky(0.2, b.conv(n.step(i), x))
	}
	x = b.leaky(0.2, b.conv(n.high, x))
	return b.conv(n.last, x), fmt.Sprintf("%d×%d", features, blocks)
}

// dense adds a dense block: five convolutions, each of which takes the input and the results of all earlier ones. The
// result of the last, times 0.2, is added to the input. In ESRGAN+, a further convolution of the input is added to the
// second result, and the second result to the fourth.
func (b *builder) dense(n rrdbNames, block, dense, in int) int {
	seen := []int{in}
	extra := n.convolution(block, dense, "1x1")
	for k := 1; k <= 4; k++ {
		x := seen[0]
		if k > 1 {
			x = b.add("", graph.Concat{}, append([]int(nil), seen...)...)
		}
		x = b.leaky(0.2, b.conv(n.convolution(block, dense, strconv.Itoa(k)), x))
		switch {
		case k == 2 && b.has(extra+".weight"):
			x = b.add("", graph.Add{}, x, b.conv(extra, in))
		case k == 4 && b.has(extra+".weight"):
			x = b.add("", graph.Add{}, x, seen[2])
		}
		seen = append(seen, x)
	}
	x := b.conv(n.convolution(block, dense, "5"), b.add("", graph.Concat{}, seen...))
	return b.add("", graph.Add{}, b.scale(0.2, x), in)
}
