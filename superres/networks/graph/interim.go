package graph

import "context"

func (o Div) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o Max) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o Min) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o Where) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o Pool) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o Reduce) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o Normalize) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o Softmax) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o ResizeTo) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o Roll) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o Scores) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o WeightedSum) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o ChannelScores) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o ChannelSum) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
func (o ShiftMask) compute(_ context.Context, out Samples, in []Samples) error {
	fill(o, out, in)
	return nil
}
