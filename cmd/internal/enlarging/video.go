package enlarging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/picture"
	"superres/internal/safefile"
	"superres/internal/y4m"
	"superres/patches/plane"
	"superres/superres"
	"superres/superres/resample"
)

// videoMagic is what a stream of video begins with.
const videoMagic = y4m.Magic

// video is the sequence of the frames of a stream. Each is enlarged for itself, by the model that the first two have
// chosen, so that the same frame always gives the same bytes.
//
// Samples stay what they are in the stream, Y, Cb and Cr, in the range that it has. Y goes through the model as a grey
// picture does whose black and white are the least and the greatest code, so that what goes beyond the range of video
// is kept. Cb and Cr are interpolated to a sample for each of Y, from where they lie, go through the model as the
// colour of any picture does, and are reduced to where they lie in the result, which are not the same places for every
// layout.
//
// Note: the mean PSNR of Cb and Cr at ×2, of 7 pictures of general-dev, T91 and Set5 reduced by 2, is 42.97 dB for
// 4:4:4 and 41.92 dB for 4:2:0. To interpolate Cb and Cr alone has 42.56 and 41.33 dB. Widened by bicubic
// interpolation, those of 4:2:0 have 41.08 dB.
type video struct {
	*Plan
	in      *y4m.Reader
	to      y4m.Header
	widen   *resample.Scaler // Cb and Cr, to the samples of Y; nil: the stream has none
	narrow  *resample.Scaler // the way back, in the result; nil: the frames are not enlarged
	neutral float64          // Cb and Cr of grey, of 0..1
	count   int
}

// openVideo opens a stream of video.
func openVideo(ctx context.Context, p *Plan) error {
	in, err := y4m.NewReader(p.content, p.limits())
	if err != nil {
		return p.faultOf(err)
	}
	v := &video{Plan: p, in: in, neutral: float64(int(1)<<(in.Depth-1)) / float64(int(1)<<in.Depth-1)}
	if err := v.measure(); err != nil {
		return err
	}
	if err := p.admit(); err != nil {
		return err
	}
	v.placeColour()
	p.title = fmt.Sprintf("Y4M, %s of %d bits", in.Layout.Name, in.Depth)
	p.scope, p.noun, p.moves, p.endless = " for all frames", "frame", true, true
	p.share = func(int) float64 { return 0 }
	if each := in.FrameBytes() + int64(len("FRAME\n")); p.content.Size > 0 {
		p.share = func(frames int) float64 { return min(float64(frames)*float64(each)/float64(p.content.Size), 1) }
	}
	p.seq.Sequence = v
	err = p.seq.fill(ctx, 2)
	if errors.Is(err, io.EOF) {
		err = p.faultOf(safefile.Refuse(safefile.ErrInput, "", "has no frames"))
	}
	return err
}

// faultOf gives an error of the reading the name of the source.
func (p *Plan) faultOf(err error) error {
	fault, _ := safefile.Named(err, p.Source.Name())
	return cmp.Or(fault, err)
}

// measure works out sizes, how many frames are in work at a time, and what they take.
func (v *video) measure() error {
	p, in := v.Plan, v.in.Header
	cfg := image.Config{ColorModel: color.GrayModel, Width: in.Width, Height: in.Height}
	if in.Depth > 8 {
		cfg.ColorModel = color.Gray16Model
	}
	p.Input = image.Pt(in.Width, in.Height)
	size, err := p.resultSize(p.Input)
	if err != nil {
		return err
	}
	p.Output, p.worked, v.to = size, size, in.Sized(size.X, size.Y)
	// Each in work has the frame and its result, and every second, rounded up, one that waits. The copy that is written
	// is shared.
	both := in.FrameBytes() + v.to.FrameBytes()
	each := both + both/2
	if in.Planes() > 1 {
		const planes = 6 // bytes of the two planes of a pixel that the estimate for a picture in colour lacks
		cfg.ColorModel = color.YCbCrModel
		each += planes * (int64(in.Width)*int64(in.Height) + int64(size.X)*int64(size.Y))
	}
	_, d, err := p.measure(cfg, false, v.to.FrameBytes()+both/2, each)
	if err != nil {
		return console.Failf(console.ExitLimit, "%s: %w", p.Source.Name(), err)
	}
	p.together = d.most(p.Limits.Memory)
	p.ahead = p.together + (p.together+1)/2 // most frames take as long as the one before, so that half as many suffice
	p.Memory = d.of(p.together)
	return nil
}

// placeColour makes what takes Cb and Cr from where they lie to the samples of Y, and back.
func (v *video) placeColour() {
	in, to := v.in.Header, v.to
	if in.Layout.Grey {
		return
	}
	w, h := in.Plane(1)
	across, _ := colourAxes(in.Layout.Across, in.Layout.Left)
	down, _ := colourAxes(in.Layout.Down, in.Layout.Top)
	kernel := resample.Bicubic
	if v.halved() && v.clean.model.Subsampled != nil {
		kernel = resample.Triangle // what the network for such colour has learned from
	}
	v.widen = resample.NewAt(w, h, in.Width, in.Height, kernel, across, down)
	if in.Width != to.Width || in.Height != to.Height {
		w, h := to.Plane(1)
		_, across := colourAxes(in.Layout.Across, in.Layout.Left)
		_, down := colourAxes(in.Layout.Down, in.Layout.Top)
		v.narrow = resample.NewAt(to.Width, to.Height, w, h, resample.Bicubic, across, down)
	}
}

// halved tells whether the stream keeps colour at half the resolution of brightness in both directions.
func (v *video) halved() bool { return v.in.Layout.Across > 1 && v.in.Layout.Down > 1 }

// colourAxes says where the samples of Y lie on those of colour, along a side, and where those of colour lie on those
// of Y. Each sample of colour is for some of Y, their number of, and lies in their middle, at a = of/2 of their edge,
// or on the first, at a = ½. So sample u of colour and sample i of Y are at the same place where of·u + a = i + ½.
func colourAxes(of int, first bool) (widen, narrow resample.Axis) {
	a := float64(of) / 2
	if first {
		a = 0.5
	}
	step := float64(of)
	return resample.Axis{First: (0.5 - a) / step, Step: 1 / step}, resample.Axis{First: a - 0.5, Step: step}
}

// ofChroma is what R−Y and B−Y are times Cr and Cb, by BT.601, and the planes of these.
var ofChroma = [2]struct {
	scale float64
	plane int
}{{2 * (1 - picture.WeightR), 2}, {2 * (1 - picture.WeightB), 1}}

// Next implements Sequence.
func (v *video) Next(context.Context) (*Frame, error) {
	in, err := v.in.Next()
	if err != nil {
		return nil, v.faultOf(err)
	}
	v.count++
	f := &Frame{Number: v.count, Image: v.in.Brightness(in), Video: in, About: &imagefile.Picture{}}
	if v.widen == nil {
		return f, nil
	}
	f.About.Subsampled = v.halved()
	f.Chroma = &superres.Chroma{}
	for i, of := range ofChroma {
		wide := plane.New(v.in.Width, v.in.Height)
		v.widen.Rows(wide, v.in.Colour(in, of.plane), 0, 0)
		for k, c := range wide.Pix {
			wide.Pix[k] = float32(of.scale * (float64(c) - v.neutral))
		}
		f.Chroma.Low[i] = wide
	}
	return f, nil
}

// Finish implements Sequence.
func (v *video) Finish(f *Frame, enlarged image.Image, _ Choice) (Result, error) {
	out := v.to.NewFrame(f.Video.Params)
	v.to.PutBrightness(out, enlarged)
	for i, of := range ofChroma {
		switch {
		case v.narrow != nil:
			high, colour := f.Chroma.High[i], plane.New(v.to.Plane(of.plane))
			for k, c := range high.Pix {
				high.Pix[k] = float32(float64(c)/of.scale + v.neutral)
			}
			v.narrow.Rows(colour, high, 0, 0)
			v.to.PutColour(out, of.plane, colour)
		case v.widen != nil:
			v.to.PutColour(out, of.plane, v.in.Colour(f.Video, of.plane))
		}
	}
	f.Image, f.Chroma, f.Video = nil, nil, nil // not held until the result is written
	return Result{Number: f.Number, Video: out}, nil
}

// Writer implements Sequence.
func (v *video) Writer(w io.Writer) (Writer, func(), error) {
	out, err := y4m.NewWriter(w, v.to)
	return writer{func(r Result) error { return out.Put(r.Video) }, func() error { return nil }}, func() {}, err
}

// inColour is a frame of video as a picture of 8 bits, of which brightness may be rounded.
func inColour(luma image.Image, chroma *superres.Chroma) image.Image {
	out := image.NewNRGBA(luma.Bounds())
	level := func(v float32) uint8 { return uint8(255*picture.Clamp(v) + 0.5) }
	for i := range chroma.Low[0].Pix {
		at := i % chroma.Low[0].W
		l, _, _, _ := luma.At(at, i/chroma.Low[0].W).RGBA()
		y, red, blue := float32(l)/0xffff, chroma.Low[0].Pix[i], chroma.Low[1].Pix[i]
		green := float32(-picture.WeightR/picture.WeightG*red) - float32(picture.WeightB/picture.WeightG*blue)
		copy(out.Pix[4*i:], []uint8{level(y + red), level(y + green), level(y + blue), 0xff})
	}
	return out
}
