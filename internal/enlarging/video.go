package enlarging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"

	"superres/internal/imagefile"
	"superres/internal/picture"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/internal/y4m"
	"superres/patches/plane"
	"superres/superres"
	"superres/superres/resample"
)

// videoMagic is the text with which a video stream begins.
const videoMagic = y4m.Magic

// video is the sequence of the frames of a video stream. Each frame is enlarged separately, with the model chosen from
// the first two frames, so that equal frames always give equal bytes.
//
// The result has Y, Cb and Cr in the same range as the stream. Y goes through the model like a grey picture in which
// black and white are the least and the greatest code, so that values outside the nominal range of video are kept. Cb
// and Cr are interpolated from their positions to one sample for each sample of Y, go through the model like the colour
// of any picture, and are reduced to their positions in the result, which for some layouts differ from the positions in
// the input. Alpha is interpolated.
//
// Note: the mean PSNR of Cb and Cr at ×2, for 7 pictures from general-dev, T91 and Set5 reduced by 2, is 42.97 dB for
// 4:4:4 and 41.92 dB for 4:2:0. If Cb and Cr are interpolated without the model, it is 42.56 and 41.33 dB. With
// bicubic instead of linear chromaToLuma, it is 41.08 dB for 4:2:0.
type video struct {
	*run
	in           *y4m.Reader
	to           y4m.Header       // header of the result
	chromaToLuma *resample.Scaler // enlarges Cb and Cr to the grid of Y; nil: the stream is grey
	lumaToChroma *resample.Scaler // reduces Cb and Cr in the result; nil: grey, or the size is unchanged
	alphaScaler  *resample.Scaler // enlarges alpha; nil: no alpha, or the size is unchanged
	greyChroma   float64          // the value of Cb and Cr that means grey, 0 to 1
	count        int              // frames read
}

// openVideo opens the source of r as a video stream, sets its sizes and memory, and reads the first two frames, from
// which the model is chosen. Frames that an earlier run has written, content.Done, count as written.
func openVideo(ctx context.Context, r *run) (Sequence, error) {
	in, err := y4m.NewReader(r.content, r.limits())
	if err != nil {
		return nil, r.faultOf(err)
	}
	in.Layout = in.Layout.Sited(r.content.Siting) // where samples of colour lie
	v := &video{run: r, in: in, greyChroma: float64(int(1)<<(in.Depth-1)) / float64(int(1)<<in.Depth-1)}
	if err := v.measure(); err != nil {
		return nil, err
	}
	if err := r.admit(ctx); err != nil {
		return nil, err
	}
	v.placeColour()
	r.Frames = r.content.Frames
	err = r.fill(ctx, v, 2)
	if errors.Is(err, io.EOF) {
		err = r.faultOf(safefile.Refuse(safefile.ErrInput, "", "has no frames"))
	}
	if done := r.content.Done; done > 0 {
		in.Skip(done - len(r.read)) // counts the frames that the content lacks
		v.count, r.Written, r.Earlier = done, done, done
	}
	return v, err
}

// Describe implements Sequence: kind, size, model, memory and how many frames are enlarged at once.
func (v *video) Describe() string {
	title := v.content.Title
	if title == "" {
		title = fmt.Sprintf("Y4M, %s of %d bits", v.in.Layout.Name, v.in.Depth)
	}
	return fmt.Sprintf("%s, %d×%d, %v for all frames, about %s for %d at a time", title, v.Input.X, v.Input.Y, v.Choice,
		usage.Bytes(v.Memory), v.together)
}

// Noun implements Sequence: messages call a picture of a video a frame.
func (v *video) Noun() string { return "frame" }

// Share implements Sequence: it counts frames or, if the video has an unknown number of frames, bytes of the file.
func (v *video) Share(frames int) float64 {
	done, all := int64(frames)*(v.in.FrameBytes()+int64(len("FRAME\n"))), v.content.Size
	if v.Frames > 0 {
		done, all = int64(frames), int64(v.Frames)
	}
	if all == 0 {
		return 0
	}
	return min(float64(done)/float64(all), 1)
}

// Choose implements Sequence: it returns one model for all frames, chosen from the first two.
func (v *video) Choose(ctx context.Context) (Choice, error) { return v.chooseMoving(ctx) }

// Result implements Sequence: it enlarges the frame f, within the time limit of one frame.
func (v *video) Result(ctx context.Context, f *Frame) (Result, error) {
	ctx, clock := newClock(ctx, v.WholeTime)
	clock.start()
	result, err := v.run.Result(ctx, f)
	return result, clock.end(err, v.nameOf(f))
}

// faultOf returns err, an error from reading, with the name of the source added.
func (r *run) faultOf(err error) error {
	fault, _ := safefile.Named(err, r.Source.Name())
	return cmp.Or(fault, err)
}

// measure sets sizes, memory and how many frames are enlarged at once. It fails if memory is too small for one frame.
func (v *video) measure() error {
	r, in := v.run, v.in.Header
	cfg := image.Config{ColorModel: color.GrayModel, Width: in.Width, Height: in.Height}
	if in.Depth > 8 {
		cfg.ColorModel = color.Gray16Model
	}
	r.Input = image.Pt(in.Width, in.Height)
	size, err := r.resultSize(r.Input)
	if err != nil {
		return err
	}
	r.takeSize(size)
	v.to = in.Sized(size.X, size.Y)
	// A frame being enlarged takes memory for itself and its result; for every two of them, one more waits until the
	// frames before it are written. The frame being written, and half a frame for an odd number, are counted once.
	both := in.FrameBytes() + v.to.FrameBytes()
	each := both + both/2
	if in.Planes() > 1 {
		const bytes = 6 // for Cb and Cr of a pixel, beyond the estimate for a colour picture
		cfg.ColorModel = color.YCbCrModel
		each += bytes * (int64(in.Width)*int64(in.Height) + int64(size.X)*int64(size.Y))
	}
	if in.Layout.Alpha {
		const bytes = 4 // for a sample of alpha while it is interpolated
		each += bytes * (int64(in.Width)*int64(in.Height) + int64(size.X)*int64(size.Y))
	}
	_, d, err := r.measure(cfg, false, v.to.FrameBytes()+both/2, each) // false: not in strips
	if err != nil {
		return r.faultOf(err)
	}
	r.together = d.mostPictures(r.Limits.Memory)
	r.ahead = r.together + (r.together+1)/2 // frames take about equally long, so few need to wait
	r.Memory = d.total(r.together)
	return nil
}

// placeColour creates the scalers that take Cb and Cr from their own positions to the positions of Y, and back in the
// result. Grey video needs none; video that keeps its size needs no scalers back and none for alpha.
func (v *video) placeColour() {
	in, to := v.in.Header, v.to
	if in.Layout.Grey {
		return
	}
	w, h := in.Plane(1)
	x, y := in.Layout.Offset()
	across, acrossBack := colourAxes(in.Layout.Across, x)
	down, downBack := colourAxes(in.Layout.Down, y)
	kernel := resample.Bicubic
	if v.halved() && v.clean.model.Subsampled != nil {
		kernel = resample.Triangle // the network for halved colour was trained with this kernel
	}
	v.chromaToLuma = resample.NewAt(w, h, in.Width, in.Height, kernel, across, down)
	if in.Width != to.Width || in.Height != to.Height {
		w, h := to.Plane(1)
		v.lumaToChroma = resample.NewAt(to.Width, to.Height, w, h, resample.Bicubic, acrossBack, downBack)
		if in.Layout.Alpha {
			v.alphaScaler = resample.New(in.Width, in.Height, to.Width, to.Height, resample.Bicubic)
		}
	}
}

// halved reports whether colour has half the resolution of brightness, or less, in both dimensions.
func (v *video) halved() bool { return v.in.Layout.Across > 1 && v.in.Layout.Down > 1 }

// colourAxes returns, for one dimension, the positions of the samples of Y on the grid of colour (toLuma), and the
// positions of the samples of colour on the grid of Y (toChroma). A sample of colour covers n samples of Y; a is its
// distance from their first edge, in samples of Y. Sample u of colour and sample i of Y coincide if n·u + a = i + ½.
func colourAxes(n int, a float64) (toLuma, toChroma resample.Axis) {
	step := float64(n)
	return resample.Axis{First: (0.5 - a) / step, Step: 1 / step}, resample.Axis{First: a - 0.5, Step: step}
}

// ofChroma has an entry for R−Y and one for B−Y: scale is (R−Y)/Cr or (B−Y)/Cb in BT.601, plane the number of Cr or Cb.
var ofChroma = [2]struct {
	scale float64
	plane int
}{{2 * (1 - picture.WeightR), 2}, {2 * (1 - picture.WeightB), 1}}

// alphaPlane is the index of the plane of alpha in a frame.
const alphaPlane = 3

// Next implements Sequence: it reads a frame, and interpolates its Cr and Cb, as R−Y and B−Y, to the grid of Y.
func (v *video) Next(context.Context) (*Frame, error) {
	in, err := v.in.Next()
	if err != nil {
		return nil, v.faultOf(err)
	}
	v.count++
	f := &Frame{Number: v.count, Image: v.in.Brightness(in), Video: in, About: &imagefile.Picture{}}
	if v.chromaToLuma == nil { // grey
		return f, nil
	}
	f.About.Subsampled = v.halved()
	f.Chroma = &superres.Chroma{}
	for i, of := range ofChroma { // Cr, then Cb: its plane, and the scale to R−Y or B−Y
		wide := plane.New(v.in.Width, v.in.Height)
		v.chromaToLuma.Rows(wide, v.in.Colour(in, of.plane), 0, 0) // all rows, from row 0
		for k, c := range wide.Pix {
			wide.Pix[k] = float32(of.scale * (float64(c) - v.greyChroma))
		}
		f.Chroma.Low[i] = wide
	}
	return f, nil
}

// Finish implements Sequence: it builds a frame of the enlarged Y, Cb, Cr and alpha. If the size is unchanged, Cb, Cr
// and alpha are copied from the input. A grey video has only Y.
func (v *video) Finish(f *Frame, enlarged image.Image, _ Choice) (Result, error) {
	out := v.to.NewFrame(f.Video.Params)
	v.to.PutBrightness(out, enlarged)
	for i, of := range ofChroma {
		switch {
		case v.lumaToChroma != nil: // the model has enlarged Chroma.Low to Chroma.High
			high, colour := f.Chroma.High[i], plane.New(v.to.Plane(of.plane))
			for k, c := range high.Pix {
				high.Pix[k] = float32(float64(c)/of.scale + v.greyChroma)
			}
			v.lumaToChroma.Rows(colour, high, 0, 0)
			v.to.PutColour(out, of.plane, colour)
		case v.chromaToLuma != nil: // in colour, at the same size
			v.to.PutColour(out, of.plane, v.in.Colour(f.Video, of.plane))
		}
	}
	if v.to.Layout.Alpha {
		alpha := v.in.Colour(f.Video, alphaPlane)
		if v.alphaScaler != nil {
			large := plane.New(v.to.Plane(alphaPlane))
			v.alphaScaler.Rows(large, alpha, 0, 0)
			alpha = large
		}
		v.to.PutColour(out, alphaPlane, alpha)
	}
	f.Image, f.Chroma, f.Video = nil, nil, nil // freed before the result is written
	return Result{Number: f.Number, Video: out}, nil
}

// Writer implements Sequence: it writes the header of the video stream, and Put writes a frame.
func (v *video) Writer(w io.Writer) (Writer, func(), error) {
	out, err := y4m.NewWriter(w, v.to)
	return Writer{func(r Result) error { return out.Put(r.Video) }, func() error { return nil }}, func() {}, err
}

// inColour returns a frame of video with brightness luma and colour chroma, before it is enlarged and as large as luma,
// as an RGB picture of 8 bits per sample. It serves only for measuring, as frames of more bits are rounded.
func inColour(luma image.Image, chroma *superres.Chroma) image.Image {
	out := image.NewNRGBA(luma.Bounds())
	level := func(v float32) uint8 { return uint8(float32(255*picture.Clamp(v)) + 0.5) }
	for i := range chroma.Low[0].Pix {
		at := i % chroma.Low[0].W
		l, _, _, _ := luma.At(at, i/chroma.Low[0].W).RGBA()
		y, red, blue := float32(l)/0xffff, chroma.Low[0].Pix[i], chroma.Low[1].Pix[i]
		copy(out.Pix[4*i:], []uint8{level(y + red), level(y + picture.Green(red, blue)), level(y + blue), 0xff})
	}
	return out
}
