package architectures

import (
	"fmt"
	"slices"
	"testing"

	"superres/superres/networks/weights"
)

func makeRLFN() map[string]weights.Tensor {
	s := newTensorSet()
	s.conv("conv_1", 3, 6, 3)
	for _, c := range []string{"c1_r", "c2_r", "c3_r"} {
		s.conv("block_1."+c, 6, 6, 3)
	}
	s.conv("block_1.c5", 6, 6, 1)
	s.conv("block_1.esa.conv1", 6, 4, 1)
	s.conv("block_1.esa.conv_f", 4, 4, 1)
	s.conv("block_1.esa.conv2", 4, 4, 3)
	s.conv("block_1.esa.conv3", 4, 4, 3)
	s.conv("block_1.esa.conv4", 4, 6, 1)
	s.conv("conv_2", 6, 6, 3)
	s.conv("upsampler.0", 6, 12, 3)
	return s.tensors
}

func makeSAFMN() map[string]weights.Tensor {
	s := newTensorSet()
	s.conv("to_feat", 3, 8, 3)
	for _, norm := range []string{"norm1", "norm2"} {
		s.add("feats.0."+norm+".weight", 8)
		s.add("feats.0."+norm+".bias", 8)
	}
	for i := range 4 {
		s.conv(fmt.Sprintf("feats.0.safm.mfr.%d", i), 1, 2, 3)
	}
	s.conv("feats.0.safm.aggr", 8, 8, 1)
	s.conv("feats.0.ccm.ccm.0", 8, 16, 3)
	s.conv("feats.0.ccm.ccm.2", 16, 8, 1)
	s.conv("to_img.0", 8, 12, 3)
	return s.tensors
}

func makePLKSR(isReal bool) map[string]weights.Tensor {
	s, last := newTensorSet(), "feats.2"
	s.conv("feats.0", 3, 8, 3)
	s.conv("feats.1.channe_mixer.0", 8, 16, 3)
	s.conv("feats.1.channe_mixer.2", 16, 8, 3)
	s.conv("feats.1.lk.conv", 2, 2, 5)
	s.conv("feats.1.attn.f.0", 8, 8, 3)
	s.conv("feats.1.refine", 8, 8, 1)
	if isReal {
		s.add("feats.1.norm.weight", 8)
		s.add("feats.1.norm.bias", 8)
		last = "feats.3"
	}
	s.conv(last, 8, 27, 3)
	return s.tensors
}

// The parameters of normalisations are no weights of convolutions: numbers of them are left out of the sums.
func TestEfficient(t *testing.T) {
	build(t, makeRLFN(), "RLFN 6×1", 2, 9*4*4-4*16*4) // taps of 0 make a convolution with a stride one of blocks
	build(t, makeSAFMN(), "SAFMN 8×1", 2, 4*8)
	build(t, makePLKSR(false), "PLKSR 8×1", 3, 0)
	build(t, makePLKSR(true), "RealPLKSR 8×1", 3, 2*8)
}

// makeSPANF returns the weights of a SPANF, whose last two convolutions have names with a suffix.
func makeSPANF(suffix string) map[string]weights.Tensor {
	s := newTensorSet()
	s.add("conv_near.weight", 12, 1, 3, 3)
	in := 3
	for i := 1; i <= 5; i++ {
		for _, c := range []string{"c1_r", "c2_r", "c3_r"} {
			s.conv(fmt.Sprintf("block_%d.%s.eval_conv", i, c), in, 4, 3)
			in = 4
		}
	}
	s.conv("conv_cat"+suffix, 12+4+4, 5, 1)
	s.conv("conv_2"+suffix+".eval_conv", 5, 12, 3)
	return s.tensors
}

// A PDS is a SPANF but for two names.
func TestSPANF(t *testing.T) {
	want, got := evalRandom(t, build(t, makeSPANF(""), "SPANF 5", 2, 0)), evalRandom(t, build(t, makeSPANF("_1"),
		"SPANF 5", 2, 0))
	if !slices.Equal(want.Values, got.Values) {
		t.Error("another result by other names")
	}
	s := newTensorSet()
	s.add("conv_near.weight", 12, 1, 3, 3)
	in := 3
	for i := 1; i <= 2; i++ {
		for _, c := range []string{"c1", "c2", "c3"} {
			s.conv(fmt.Sprintf("block_%d.%s.eval_conv", i, c), in, 4, 3)
			in = 4
		}
	}
	s.conv("block_2.guidance_map_conv", 4, 4, 1)
	s.conv("depthwise_conv", 1, 16, 3)
	s.conv("pointwise_conv", 16, 12, 1)
	build(t, s.tensors, "SPANV2 4", 2, 0)
}
