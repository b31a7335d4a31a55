#!/usr/bin/env bash
# The rows of an RLE8 BMP by ImageMagick are longer than the picture is wide.
#
# Guess: the runs between two ends of lines have as many pixels as the header says, and a run that begins behind them
#   means that the writer has left out an end of line, or that the file is damaged.
# Truth: ImageMagick codes rows of a multiple of four pixels, the padding of uncompressed rows with them, also in runs
#   of their own behind the last pixel of the row. A decoder that goes on in the next row there, or refuses, gets every
#   such picture wrong if its width is not a multiple of four. Pixels behind the row have to be dropped.
# Versions: @imagemagick/magick-wasm 0.0.35 (ImageMagick 7.1), run on 2026-11-28; ImageMagick 6.9.11 of Debian 12 does
#   the same.
# Source: ImageMagick coders/bmp.c, WriteBMPImage, which passes bytes_per_line to EncodeImage as the number of columns;
#   Microsoft, "Bitmap Compression", which says nothing of runs behind the end of a row.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix . @imagemagick/magick-wasm@0.0.35 >/dev/null
cat >rows.mjs <<'EOF'
import { readFileSync } from 'node:fs'
import { initializeImageMagick, ImageMagick, Magick, CompressionMethod } from '@imagemagick/magick-wasm'
await initializeImageMagick(readFileSync('node_modules/@imagemagick/magick-wasm/dist/magick.wasm'))
console.error(Magick.imageMagickVersion)
const picture = Buffer.concat([Buffer.from('P6 5 2 255\n'), Buffer.alloc(30, 200)]) // five pixels in two rows
ImageMagick.read(picture, img => {
  img.quantize()
  img.settings.compression = CompressionMethod.RLE
  img.write('BMP3', d => {
    const b = Buffer.from(d)
    const codes = b.subarray(b.readUInt32LE(10))
    if (b.readUInt32LE(30) !== 1) throw new Error('not RLE8')
    let row = 0
    for (let i = 0; !(codes[i] === 0 && codes[i + 1] === 1); i += 2) {
      if (codes[i] === 0 && codes[i + 1] === 0) { console.log(`a row of ${row} pixels`); row = 0 }
      else row += codes[i]
    }
    console.log(`width ${b.readInt32LE(18)}`)
  })
})
EOF
node rows.mjs | tee seen
diff seen - >/dev/null <<'EOF' || { echo 'CHANGED: a picture of 5 pixels a row is no more coded in rows of 8'; exit 1; }
a row of 8 pixels
a row of 8 pixels
width 5
EOF
