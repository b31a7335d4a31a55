#!/usr/bin/env bash
# sharp, keepXmp() of a file with a gain map: no XMP packet at the first call, later one that promises the lost map.
#
# Guess: sharp(path).keepXmp() keeps the XMP packet, and the same call gives the same bytes, whenever it is made. Since
#        sharp knows gain maps (0.35), the packet of a result without the map no longer promises it.
# Truth: the first call in a process writes no packet at all. Each later call, of the same path, writes the packet
#        unchanged: with hdrgm:Version and, in Container:Directory, the length of a gain map that is not there. It is so
#        with keepMetadata(), and after any other use of the path, as by metadata(). sharp.cache(false), or a Buffer in
#        place of the path, always gives no packet. A server thus answers the first request for a picture with other
#        bytes than the next.
# Versions: sharp 0.35.5 (libvips 8.18.7, libultrahdr 2.0.2), 2026-11-28.
# Source: sharp, "Output options", keepXmp: https://sharp.pixelplumbing.com/api-output/#keepxmp
#         Ultra HDR Image Format v1.1: https://developer.android.com/media/platform/hdr-image-format
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund sharp@0.35.5 >/dev/null
cat >run.js <<'JS'
const sharp = require("sharp")

const segment = (marker, payload) => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(payload.length + 2, 2)
  return Buffer.concat([head, payload])
}
const packet = text => segment(0xe1, Buffer.from("http://ns.adobe.com/xap/1.0/\0" +
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"' +
  ' xmlns:Container="http://ns.google.com/photos/1.0/container/"' +
  ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0"' + text +
  "</rdf:Description></rdf:RDF></x:xmpmeta>"))
const item = fields => `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" ${fields}/></rdf:li>`

// ultraHDR returns a picture with a gain map by the letter of Ultra HDR 1.1: XMP in both, and MPF in the picture.
async function ultraHDR() {
  const grey = (width, height) => sharp({ create: { width, height, channels: 3, background: "#808080" } })
    .jpeg().toBuffer()
  const picture = await grey(64, 48), plain = await grey(16, 12)
  const map = Buffer.concat([plain.subarray(0, 2), packet(' hdrgm:GainMapMin="0" hdrgm:GainMapMax="2"' +
    ' hdrgm:Gamma="1" hdrgm:OffsetSDR="0.015625" hdrgm:OffsetHDR="0.015625" hdrgm:HDRCapacityMin="0"' +
    ' hdrgm:HDRCapacityMax="2" hdrgm:BaseRenditionIsHDR="False">'), plain.subarray(2)])
  const xmp = packet(">" + "<Container:Directory><rdf:Seq>" + item('Item:Semantic="Primary"') +
    item(`Item:Semantic="GainMap" Item:Length="${map.length}"`) + "</rdf:Seq></Container:Directory>")
  const index = Buffer.alloc(4 + 82)
  index.write("MPF\0MM\0*\0\0\0\x08\0\x03", "latin1")
  let at = 14
  const entry = (tag, kind, count, value) => {
    index.writeUInt16BE(tag, at)
    index.writeUInt16BE(kind, at + 2)
    index.writeUInt32BE(count, at + 4)
    index.writeUInt32BE(value, at + 8)
    at += 12
  }
  entry(0xb000, 7, 4, 0x30313030)
  entry(0xb001, 4, 1, 2)
  entry(0xb002, 7, 32, 50)
  const whole = picture.length + xmp.length + 4 + index.length
  const numbers = [0, 0x030000, whole, 0, 0, 0, map.length, whole - (2 + xmp.length + 4 + 4), 0]
  numbers.forEach((n, i) => index.writeUInt32BE(n, at + 4 * i))
  return Buffer.concat([picture.subarray(0, 2), xmp, segment(0xe2, index), picture.subarray(2), map])
}

// packetOf returns what a file without a gain map says of one in its XMP packet.
async function packetOf(file) {
  const text = (await sharp(file).metadata()).xmpAsString
  if (!text) return "no packet"
  return text.includes('hdrgm:Version="1.0"') && text.includes("GainMap") ? "a promise" : "a packet without a promise"
}

(async () => {
  console.log(`sharp ${sharp.versions.sharp}, libvips ${sharp.versions.vips}, libultrahdr ${sharp.versions.uhdr}`)
  const file = await ultraHDR()
  require("fs").writeFileSync("map.jpg", file)
  const results = []
  for (const input of ["map.jpg", "map.jpg", "map.jpg", file, file]) {
    results.push(await sharp(input).keepXmp().jpeg().toBuffer())
  }
  const maps = await Promise.all(results.map(async r => (await sharp(r).metadata()).gainMap ? "a map" : "no map"))
  const packets = await Promise.all(results.map(packetOf))
  const found = (await sharp(file).metadata()).gainMap ? "a gain map" : "no gain map"
  console.log(`the file: ${found}`)
  console.log(`keepXmp(), path three times, Buffer twice: ${packets.join(", ")}`)
  console.log(`gain maps in these results: ${maps.join(", ")}`)
  const want = "no packet,a promise,a promise,no packet,no packet"
  if (found !== "a gain map" || packets.join() !== want || maps.includes("a map")) {
    console.log("changed: the results of keepXmp() no longer depend on what the process did before")
    process.exit(1)
  }
})()
JS
node run.js
