#!/usr/bin/env bash
# White in a BMP with channels of 4 bits is 240 of 255 in FFmpeg and ImageMagick.
#
# Guess: a decoder scales a channel of n bits by 255 / (2^n - 1), so that the largest value is 255, as both do for 5 and
#   6 bits.
# Truth: FFmpeg and ImageMagick put 4 bits into the high bits of the byte: white becomes 240, and one bit of ImageMagick
#   128. Programs that are compared by majority vote for a picture that is too dark by 15 levels, and one bit of alpha,
#   which means opaque, is half transparent. Only a calculation by the masks tells the right value.
# Versions: @imagemagick/magick-wasm 0.0.35 (ImageMagick 7.1), @ffmpeg-installer/linux-x64 4.1.0 (FFmpeg of December
#   2018), run on 2026-11-28; FFmpeg 5.1 and ImageMagick 6.9.11 of Debian 12 do the same.
# Source: ImageMagick coders/bmp.c, ReadBMPImage, which has cases for 5, 6 and 8 bits; FFmpeg libswscale/input.c, the
#   readers of rgb444.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix . \
	@imagemagick/magick-wasm@0.0.35 @ffmpeg-installer/linux-x64@4.1.0 >/dev/null
ffmpeg=node_modules/@ffmpeg-installer/linux-x64/ffmpeg
chmod u+x "$ffmpeg"

cat >white.mjs <<'EOF'
import { readFileSync, writeFileSync } from 'node:fs'
import { initializeImageMagick, ImageMagick, Magick, MagickFormat } from '@imagemagick/magick-wasm'
await initializeImageMagick(readFileSync('node_modules/@imagemagick/magick-wasm/dist/magick.wasm'))
console.error(Magick.imageMagickVersion)
// A white pixel of 16 bits, with three masks of the given width behind a header of 40 bytes.
for (const bits of [5, 4]) {
  const one = (1 << bits) - 1, masks = [one << 2 * bits, one << bits, one]
  const b = Buffer.alloc(70)
  b.write('BM')
  for (const [at, v] of [[2, 70], [10, 66], [14, 40], [18, 1], [22, 1], [26, 1 | 16 << 16], [30, 3], [34, 4]])
    b.writeUInt32LE(v, at)
  masks.forEach((m, i) => b.writeUInt32LE(m, 54 + 4 * i))
  b.writeUInt16LE(masks[0] | masks[1] | masks[2], 66)
  writeFileSync(`white${bits}.bmp`, b)
  ImageMagick.read(b, img => img.write(MagickFormat.Rgb, d => console.log(`ImageMagick ${bits}: ${[...d.slice(0, 3)]}`)))
}
EOF
node white.mjs >seen
"$ffmpeg" -version | head -n 1 >&2
for bits in 5 4; do
	printf 'FFmpeg %s: ' "$bits"
	"$ffmpeg" -v error -i "white$bits.bmp" -f rawvideo -pix_fmt rgb24 - | od -An -tu1 | tr -s ' ' , | cut -c 2-
done >>seen
cat seen
diff seen - >/dev/null <<'EOF' || { echo 'CHANGED: white of 5 bits is 255 and of 4 bits 240 in both no more'; exit 1; }
ImageMagick 5: 255,255,255
ImageMagick 4: 240,240,240
FFmpeg 5: 255,255,255
FFmpeg 4: 240,240,240
EOF
