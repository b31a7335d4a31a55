package imagefile

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"superres/internal/imagefile/imagetest"
	"superres/internal/safefile"
)

// slow is a file that takes far longer to decode than any test waits: many scans, each cheap in bytes.
func slow() []byte { return imagetest.ManyScans(3000, 3000, 10_000) }

func TestTimeLimitStopsTheDecoder(t *testing.T) {
	// 10,000 tiles which all unpack the same megabyte of nothing.
	const tiles = 100 * 100
	nothing := append(bytes.Repeat([]byte{0x80}, 1<<20), 0xc1, 0) // and at last 64 zeros
	offsets := uint32(len(imagetest.TIFFStart) + len(imagetest.TIFFPage(0, make([][4]uint32, 9)...)))
	tile := append([]byte(imagetest.TIFFStart), imagetest.TIFFPage(0,
		[4]uint32{256, 4, 1, 800}, [4]uint32{257, 4, 1, 800}, [4]uint32{258, 3, 1, 8},
		[4]uint32{259, 3, 1, 32773}, [4]uint32{262, 3, 1, 1}, [4]uint32{322, 4, 1, 8}, [4]uint32{323, 4, 1, 8},
		[4]uint32{324, 4, tiles, offsets}, [4]uint32{325, 4, tiles, offsets + 4*tiles})...)
	for _, v := range []uint32{offsets + 8*tiles, uint32(len(nothing))} {
		for range tiles {
			tile = append(tile, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	tile = append(tile, nothing...)

	for name, data := range map[string][]byte{"scans.jpg": slow(), "tiles.tif": tile} {
		begin := time.Now()
		_, err := decodeBytes(data, name, Limits{Scans: 20_000, Time: 100 * time.Millisecond})
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%s: stopped after %v", name, took)
		}
		checkRefusal(t, err, safefile.ErrLimit, name, "takes longer to decode than the limit of 0.1 s")
		checkRemedy(t, err, safefile.MoreTime)
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(30*time.Millisecond, func() { cancel(errors.New("hangup")) })
	begin := time.Now()
	_, err := Decode(ctx, bytes.NewReader(slow()), "slow.jpg", Limits{Scans: 20_000})
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("stopped after %v", took)
	}
	checkRefusal(t, err, context.Canceled, "slow.jpg", "interrupted")

	// Before the work, and while reading.
	_, err = Decode(ctx, bytes.NewReader(nil), "late.png", Limits{})
	checkRefusal(t, err, context.Canceled, "late.png", "interrupted")

	ctx, stop := context.WithTimeout(context.Background(), time.Nanosecond)
	defer stop()
	<-ctx.Done()
	_, err = Decode(ctx, bytes.NewReader(nil), "late.png", Limits{})
	checkRefusal(t, err, safefile.ErrLimit, "late.png", "ran out of time")
	checkRemedy(t, err, safefile.MoreTime)
}
