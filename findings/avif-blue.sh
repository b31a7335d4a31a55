#!/usr/bin/env bash
# Pure blue in an AVIF of 8 bits and limited range comes out of libavif 12 levels too dark by the matrix of BT.709 and
# 16 by BT.2020's, and right where the same bytes are taken for 10 bits.
#
# Guess: 8 bits are the best tested case: blue is 255 or 254 by every matrix, and a decoder that is asked for more bits
#        gives the same colour with finer steps.
# Truth: for 8 bits in and out libavif calls libyuv, which has the factors of its matrices in 6 bits behind the point as
#        signed bytes: at most 128/64 = 2. Blue is Y + 2.112 U by BT.709, and Y + 2.142 U by BT.2020: with U of 112,
#        12.5 and 15.9 levels are missing. BT.601 has 2.018, and loses 2. Every saturated blue sky or sign of an AVIF,
#        in limited range, is darker than it was encoded, in all programs that take 8 bits from libavif with libyuv.
#        libheif, with arithmetic of its own, is right, and so is libavif itself for 10 bits. There is no setting for it
#        in the binding: only the file can say 10 bits, in av1C and pixi, of which the decoder of AV1 takes no notice.
# Versions: github.com/gen2brain/avif v0.4.4 (libavif 1.1.1, libaom 3.10.0, libyuv); sharp 0.35.5 (libheif), 2026-11-29.
# Source: libyuv, source/row_common.cc, kYuvH709Constants and kYuvV2020Constants: UB is max(-128, round(-2.112 * 64)), with
#        the words "Find way to express 2.112 instead of 2.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# 16×16 pixels of (0, 0, 255), 4:4:4, by avifenc of libavif 0.11.1, which stores Y, U, V as they are to be.
echo AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAACIAAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAABAAAAAQAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgSAAAAAAABNjb2xybmNseAABAA0AAQAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACptZGF0EgAKCDgM/9hAQ0BEMhQQAAA5ULskcOSvuqwT93x0cNcLkA== |
	base64 -d >709.avif
echo AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAACIAAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAABAAAAAQAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgSAAAAAAABNjb2xybmNseAABAA0ACQAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACptZGF0EgAKCDgM/9hAQ0JEMhQQAAA5ULskcYs1uqwT93x0cNZxkA== |
	base64 -d >2020.avif
npm init -y >/dev/null
npm install --silent --no-audit --no-fund sharp@0.35.5 >/dev/null
cat >main.go <<'GO'
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/gen2brain/avif"
)

// blue returns the blue of a pixel of the file, in levels of 255.
func blue(data []byte) uint32 {
	img, err := avif.Decode(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	_, _, b, _ := img.At(8, 8).RGBA()
	return (b + 128) / 257
}

func main() {
	for _, name := range []string{"709.avif", "2020.avif"} {
		data, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		fmt.Print(blue(data), " ")
		data[bytes.Index(data, []byte("av1C"))+6] |= 0x40               // high_bitdepth
		copy(data[bytes.Index(data, []byte("pixi"))+9:], []byte{10, 10, 10}) // bits of the channels
		fmt.Print(blue(data), " ")
	}
}
GO
cat >go.mod <<'MOD'
module finding
go 1.26
MOD
go get github.com/gen2brain/avif@v0.4.4 2>/dev/null
said=$(go run -tags nodynamic .)
seen=$(node -e '(async () => {
  for (const name of ["709.avif", "2020.avif"])
    process.stdout.write((await require("sharp")(name).removeAlpha().raw().toBuffer())[2] + " ")
})()')
go version
echo "libavif, BT.709 as 8 bits and as 10, BT.2020 as 8 bits and as 10: $said"
echo "libheif, BT.709 and BT.2020: $seen"
if [[ $said != "243 255 239 255 " ]]; then
	echo "changed: libavif has other blues"
	exit 1
fi
