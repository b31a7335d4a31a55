// Package architectures recognises a network by the names and shapes of its weights, since files that hold only weights
// do not describe the network. It knows these networks:
//
//	SRVGGNetCompact  any number of channels and layers, PReLU or ReLU, any factor
//	RRDBNet          the names of ESRGAN, BSRGAN and Real-ESRGAN; any number of channels and blocks; ×1, ×2, ×4, ×8;
//	                 with or without pixel unshuffle; ESRGAN+
//	SPAN, SPANF      in training or merged, with or without normalisation; also PDS and SPANV2 of NTIRE 2026
//	RLFN, SAFMN
//	PLKSR, RealPLKSR
//	SwinIR           any size of windows, all three kinds of end
//	HAT, DAT         of all sizes, such as HAT-S and DAT-light
//	EDSR             the names of its authors and of BasicSR
//	MSRResNet        the variant of BasicSR
//
// Each architecture is one value in the list known. A network must use all weights of its file, so that a variant of an
// architecture is refused rather than run as another network.
package architectures

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// architecture is a family of networks.
type architecture struct {
	name string
	// has reports whether the tensors belong to a network of the family. It looks at a few names and shapes.
	has func(map[string]weights.Tensor) bool
	// build adds the nodes of the network, the input first. It returns the index of the output node, and a text that
	// tells the members of the family apart, such as 64×32.
	build func(*builder) (output int, size string)
}

// known are the architectures in the order in which Build tries them.
var known = []architecture{rrdbNet, compact, span, spanF, spanV2, rlfn, safmn, plksr, realPLKSR, swinIR, hat, dat, edsr,
	originalEDSR, srResNet}

// Build returns the network to which the weights in f belong, and the name of its architecture, such as
// "SRVGGNetCompact 64×32". Names of weights may have up to three prefixes. The graph has the terms of use of f and
// shares the arrays of f. For an unknown network, the error names some weights.
func Build(f *weights.File) (*graph.Graph, string, error) {
	const mostPrefixes = 3
	a, tensors := identify(f.Tensors, mostPrefixes)
	if a == nil {
		return nil, "", refuse(f.Tensors)
	}
	b := &builder{tensors: tensors, used: map[string]bool{}, white: 1} // build may set another white
	output, size := a.build(b)
	if b.err == nil {
		b.err = b.checkAllUsed()
	}
	g := &graph.Graph{Nodes: b.nodes, Output: output, Range: b.white, Terms: f.Terms}
	if b.err == nil {
		b.err = g.Check()
	}
	if b.err != nil {
		return nil, "", fmt.Errorf("the weights look like those of %s, but are not: %w", a.name, b.err)
	}
	return g, a.name + " " + size, nil
}

// obstacles are operations that cannot be built from weights alone, with a part of the names of their weights. superres
// can run the first `runnable` of them if the network is exported to ONNX; the others it cannot run at all.
var obstacles = []struct{ part, operation string }{
	{"relative_position_bias", "attention between the pixels of a window, of a kind of its own"},
	{"qkv.", "attention between pixels or channels (OmniSR, Restormer and their kind)"},
	{".esa.", "attention that looks at a reduced picture (ESA), of a kind of its own"},
	{"x_proj_weight", "a state space (Mamba)"},
	{"A_log", "a state space (Mamba)"},
	{"iasa_attn", "attention between pixels that it sorts (CATANet)"},
	{"attn_aca", "attention between pixels that it sorts (ATD)"},
	{"v_LePE", "attention between the pixels of greatest scores (PFT)"},
	{"attn.reduction1", "attention of all pixels to a reduced picture (RGT)"},
	{"to_img.init_pos", "sampling at places of its own (DySample)"},
}

// runnable is the number of obstacles, at the start of the list, that superres runs if the network comes as ONNX.
const runnable = 3

// export is advice for error messages: how to write a file that describes the network as well as its weights.
const export = `export the network in PyTorch: torch.onnx.export(network.eval(), torch.rand(1, 3, 64, 64), "network.onnx")`

// refuse returns the error for weights of no known architecture. It names the last obstacle in the list that a weight
// tells of, so one that superres cannot run goes before one that it can run. Without obstacles it names some weights.
func refuse(tensors map[string]weights.Tensor) error {
	for i, o := range slices.Backward(obstacles) {
		for _, key := range slices.Sorted(maps.Keys(tensors)) {
			switch {
			case !strings.Contains(key, o.part):
			case i < runnable:
				return fmt.Errorf("holds weights of a network with %s, which superres does not know by its weights "+
					"alone: %.60q; %s", o.operation, key, export)
			default:
				return fmt.Errorf("holds weights of a network with %s, which superres cannot run: %.60q", o.operation,
					key)
			}
		}
	}
	return fmt.Errorf("holds weights of no architecture that superres knows (%s), but %s; %s", listKnown(),
		listSome(tensors), export)
}

// prefixes are texts before the names of weights. Programs add them when they wrap a network in an object.
var prefixes = []string{"module.", "_orig_mod.", "params_ema.", "params.", "state_dict.", "generator.", "net_g_ema.",
	"net_g.", "netG.", "model.", "net."}

// identify returns the known architecture that the tensors belong to, nil if none, and the tensors by their names
// without prefixes. It removes at most depth prefixes, and leaves out the tensors that lack a prefix which it removes.
func identify(tensors map[string]weights.Tensor, depth int) (*architecture, map[string]weights.Tensor) {
	for i := range known {
		if known[i].has(tensors) {
			return &known[i], tensors
		}
	}
	if depth == 0 {
		return nil, nil
	}
	for _, p := range prefixes {
		inner := map[string]weights.Tensor{}
		for key, t := range tensors {
			if rest, found := strings.CutPrefix(key, p); found {
				inner[rest] = t
			}
		}
		if len(inner) == 0 {
			continue
		}
		if a, found := identify(inner, depth-1); a != nil {
			return a, found
		}
	}
	return nil, nil
}

// listKnown returns the names of the known architectures. The two neighbours called EDSR are listed once.
func listKnown() string {
	var names []string
	for _, a := range known {
		names = append(names, a.name)
	}
	return strings.Join(slices.Compact(names), ", ")
}

// listSome returns the names of the tensors in alphabetical order, each cut to 60 characters: all of up to four names,
// or the first three and how many others there are.
func listSome(tensors map[string]weights.Tensor) string {
	var keys []string
	for key := range tensors {
		keys = append(keys, fmt.Sprintf("%.60q", key))
	}
	slices.Sort(keys)
	switch {
	case len(keys) == 0:
		return "none at all"
	case len(keys) > 4:
		return fmt.Sprintf("%s and %d others", strings.Join(keys[:3], ", "), len(keys)-3)
	}
	return strings.Join(keys, ", ")
}
