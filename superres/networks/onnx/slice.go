package onnx

import (
	"errors"
	"fmt"
	"slices"

	"superres/superres/networks/graph"
)

// slicing is the part start, start+step, … before end of an axis.
type slicing struct{ axis, start, end, step int }

// size returns the number of indexes.
func (s slicing) size() int {
	if s.step > 0 {
		return max((s.end-s.start+s.step-1)/s.step, 0)
	}
	return max((s.start-s.end-s.step-1)/-s.step, 0)
}

// slicings returns what a Slice keeps of an array of the given dimensions.
func (c *call) slicings(dims []int) (list []slicing, err error) {
	var lists [4][]int // starts, ends, axes, steps
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		if lists[i], err = c.listOr(1+i, name); err != nil {
			return nil, err
		}
	}
	n := len(lists[0])
	if len(lists[1]) != n || lists[2] != nil && len(lists[2]) != n || lists[3] != nil && len(lists[3]) != n {
		return nil, errors.New("has starts, ends, axes and steps of several lengths")
	}
	for i := range n {
		s := slicing{i, lists[0][i], lists[1][i], 1}
		if lists[2] != nil {
			s.axis = lists[2][i]
		}
		if lists[3] != nil {
			s.step = lists[3][i]
		}
		if s.axis, err = axis(s.axis, len(dims)); err != nil {
			return nil, err
		}
		isTwice := slices.ContainsFunc(list, func(other slicing) bool { return other.axis == s.axis })
		if s.step == 0 || isTwice {
			return nil, errors.New("has a step of 0, or an axis twice")
		}
		side := dims[s.axis]
		if s.start < 0 {
			s.start += side
		}
		if s.end < 0 {
			s.end += side
		}
		if s.step > 0 {
			s.start, s.end = min(max(s.start, 0), side), min(max(s.end, 0), side)
		} else {
			s.start, s.end = min(max(s.start, -1), side-1), min(max(s.end, -1), side-1)
		}
		list = append(list, s)
	}
	return list, nil
}

func foldSlice(c *call) (*tensor, error) {
	from := c.in[0].constant
	list, err := c.slicings(from.dims)
	if err != nil {
		return nil, err
	}
	dims := slices.Clone(from.dims)
	steps := strides(from.dims)
	first := 0
	for _, s := range list {
		dims[s.axis] = s.size()
		first += s.start * steps[s.axis]
		steps[s.axis] *= s.step
	}
	return c.rearranged(from, dims, func(index []int) int {
		offset := first
		for d, i := range index {
			offset += i * steps[d]
		}
		return offset
	})
}

// sliceSamples keeps some channels, or cuts off edges.
func (c *call) sliceSamples() (out []*value, err error) {
	s, err := c.shape()
	if err != nil {
		return nil, err
	}
	list, err := c.slicings([]int{1, s.Channels, s.H, s.W})
	if err != nil {
		return nil, err
	}
	out = c.in[:1]
	var edges graph.Edges
	for _, part := range list {
		n := part.size()
		switch {
		case n < 1:
			return nil, errors.New("keeps no samples")
		case part.axis == 0:
		case part.axis == 1:
			if n == s.Channels && part.step == 1 {
				continue
			}
			kept := make([]int, n)
			for i := range kept {
				kept[i] = part.start + i*part.step
			}
			if out, err = c.add(graph.Select{Channels: kept}, out...); err != nil {
				return nil, err
			}
		case part.step != 1:
			return nil, fmt.Errorf("of every %d. row or column is not supported", part.step)
		case part.axis == 2:
			edges.Top, edges.Bottom = -part.start, part.end-s.H
		default:
			edges.Left, edges.Right = -part.start, part.end-s.W
		}
	}
	if edges == (graph.Edges{}) {
		return out, nil
	}
	return c.add(graph.Pad{Edges: edges}, out...)
}

// splitSizes returns the sizes of the parts into which a Split divides an axis of the given size.
func (c *call) splitSizes(side int) ([]int, error) {
	sizes, err := c.listOr(1, "split")
	if err != nil {
		return nil, err
	}
	if sizes == nil {
		n := max(c.int("num_outputs", c.outputs), 1)
		each := (side + n - 1) / n
		for left := side; left > 0; left -= each {
			sizes = append(sizes, min(each, left))
		}
	}
	left := side
	for _, size := range sizes {
		if size < 1 || size > left {
			return nil, fmt.Errorf("of %d into %v", side, sizes)
		}
		left -= size
	}
	if left > 0 {
		return nil, fmt.Errorf("of %d into %v", side, sizes)
	}
	return sizes, nil
}

func (c *call) split() (out []*value, err error) {
	if c.in[0].constant != nil {
		return c.splitConstant(c.in[0].constant)
	}
	s, err := c.shape()
	if err != nil {
		return nil, err
	}
	if along, err := axis(c.int("axis", 0), 4); err != nil || along != 1 {
		return nil, errors.New("of samples is supported along the channels alone")
	}
	sizes, err := c.splitSizes(s.Channels)
	if err != nil {
		return nil, err
	}
	start := 0
	for _, size := range sizes {
		kept := make([]int, size)
		for i := range kept {
			kept[i] = start + i
		}
		part, err := c.add(graph.Select{Channels: kept}, c.in[0])
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
		start += size
	}
	return out, nil
}

func (c *call) splitConstant(from *tensor) (out []*value, err error) {
	along, err := axis(c.int("axis", 0), len(from.dims))
	if err != nil {
		return nil, err
	}
	sizes, err := c.splitSizes(from.dims[along])
	if err != nil {
		return nil, err
	}
	steps := strides(from.dims)
	start := 0
	for _, size := range sizes {
		dims := slices.Clone(from.dims)
		dims[along] = size
		part, err := c.rearranged(from, dims, func(index []int) int {
			offset := start * steps[along]
			for d, i := range index {
				offset += i * steps[d]
			}
			return offset
		})
		if err != nil {
			return nil, err
		}
		out = append(out, &value{constant: part})
		start += size
	}
	return out, nil
}
