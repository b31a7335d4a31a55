package imagefile

import (
	"bytes"
	"context"

	"superres/internal/metadata"
)

// turnGainMap turns the gain map of pic upright as the picture was, from orientation o. A map that cannot be decoded
// within lim is left out with a warning. It fails once ctx has ended.
//
// Note: the map is encoded again, with the least loss that a JPEG has. Turning the coefficients of its blocks would
// lose nothing, but only where the sides are multiples of a block, as in few maps.
func (pic *Picture) turnGainMap(ctx context.Context, o int, lim Limits) error {
	if pic.Metadata.GainMap == nil || o < 2 {
		return nil
	}
	const best = 100
	about, pixels := metadata.SplitJPEG(pic.Metadata.GainMap)
	pic.Metadata.GainMap = nil
	stored, err := DecodeBytes(ctx, pixels, "gain map", Limits{Pixels: lim.Pixels, Side: lim.Side, Scans: lim.Scans,
		Time: lim.Time})
	if ctx.Err() != nil {
		return readError(ctx.Err(), "gain map")
	}
	var b bytes.Buffer
	if err == nil {
		err = Encode(&b, Upright(stored.Image, o), JPEG, EncodeOptions{Quality: best})
	}
	if err != nil {
		pic.Warnings = append(pic.Warnings, "its gain map is damaged and left out")
		return nil
	}
	pic.Metadata.GainMap = metadata.JoinJPEG(about, b.Bytes())
	return nil
}
