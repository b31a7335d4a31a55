#!/usr/bin/env bash
# Go's image/jpeg refuses valid files with restart markers in scans of one component, in the words of a damaged file.
#
# Guess: image/jpeg reads all of baseline and progressive JPEG but odd sampling, and "missing 0xff00 sequence" means
#        that a file is damaged. Its tests have restart markers, and progressive files, and files of 4:2:0.
# Truth: each alone is read, both together are not. In a scan of one component the restart interval counts blocks of
#        that component (T.81, A.2.2: the MCU is one data unit). image/jpeg goes on to count the blocks of an
#        interleaved MCU: four of luma at 4:2:0. So it meets a marker in the midst of what it takes for one interval.
#        Every progressive file of 4:2:0 has such scans: what jpegtran -progressive -restart or a scanner writes is
#        refused by all that decodes with Go, and the advice to make the file again makes the same file.
# Versions: Go 1.26.8 image/jpeg; sharp 0.35.5 (libvips 8.18.7, mozjpeg), 2026-11-28.
# Source: ITU-T T.81, A.2.2 (order of data units of one component) and B.2.4.4 (restart interval, in MCUs)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund sharp@0.35.5 >/dev/null
cat >run.js <<'JS'
const sharp = require("sharp")
const segment = (marker, ...bytes) => [0xff, marker, 0, bytes.length + 2, ...bytes]
const table = (number, lengths, values) => [number, ...lengths, ...Array(16 - lengths.length).fill(0), ...values]

// file returns a JPEG of 16×16 pixels, 4:2:0, with a scan for each component. Its four blocks of luma are 168, 88, 168
// and 88, with a restart marker between each two.
function file() {
  const bright = [0b01101000, 0b01111111], dark = [0b01010111, 0b01111111] // ±40 from 128, end of block
  const restart = n => [0xff, 0xd0 + n]
  const luma = [...bright, ...restart(0), ...dark, ...restart(1), ...bright, ...restart(2), ...dark]
  const plain = [0b00011111] // a difference of 0, end of block
  return Buffer.from([0xff, 0xd8,
    ...segment(0xdb, 0, ...Array(64).fill(8)),
    ...segment(0xc0, 8, 0, 16, 0, 16, 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0),
    ...segment(0xc4, ...table(0x00, [0, 2], [0, 6]), ...table(0x10, [1], [0])),
    ...segment(0xdd, 0, 1),
    ...segment(0xda, 1, 1, 0, 0, 63, 0), ...luma,
    ...segment(0xda, 1, 2, 0, 0, 63, 0), ...plain,
    ...segment(0xda, 1, 3, 0, 0, 63, 0), ...plain,
    0xff, 0xd9])
}

(async () => {
  const data = file()
  require("fs").writeFileSync("restarts.jpg", data)
  const pixels = await sharp(data, { failOn: "warning" }).greyscale().raw().toBuffer()
  console.log([[0, 0], [8, 0], [0, 8], [8, 8]].map(([x, y]) => pixels[16 * y + x]).join(" "))
})()
JS
cat >main.go <<'GO'
package main

import (
	"fmt"
	"image/jpeg"
	"os"
)

func main() {
	f, err := os.Open("restarts.jpg")
	if err != nil {
		panic(err)
	}
	img, err := jpeg.Decode(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("a picture of", img.Bounds())
}
GO
seen=$(node run.js)
said=$(go run main.go)
go version
echo "sharp: the blocks of luma are $seen"
echo "image/jpeg: $said"
if [[ $seen != "168 88 168 88" ]]; then
	echo "changed: sharp does not read the file as it was made"
	exit 1
fi
if [[ $said != "invalid JPEG format: missing 0xff00 sequence" ]]; then
	echo "changed: image/jpeg no longer refuses restart markers in a scan of one component"
	exit 1
fi
