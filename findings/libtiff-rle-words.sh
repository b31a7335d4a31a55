#!/usr/bin/env bash
# libtiff does not read back the word-aligned fax rows (compression 32771) that it writes.
#
# Guess: a library reads what it has written itself; a reader that shows another picture than libtiff, and with it
#   Pillow and libvips, is the one that is wrong.
# Truth: rows that libtiff's encoder has aligned to 16 bits come out shifted of libtiff's decoder, from the first row on
#   with codes that end in an odd byte; the call succeeds, with a warning. A decoder that begins each row at an even byte of
#   the strip gets the picture that was written. With compression 2, rows begin at any byte and both agree. So two
#   programs that agree are no proof where both stand on one library.
# Versions: libtiff 4.5.0 (Debian 12, libtiff6 4.5.0-6+deb12u4), gcc 12.2, run on 2026-11-28.
# Source: libtiff tif_fax3.c, the alignment behind a row in Fax3DecodeRLE and in Fax3EncodeRow; libtiff's tags page
#   names the compression "CCITT RLE word aligned" and nothing else describes it.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
packages='libtiff6=4.5.0-6+deb12u4 libtiff-dev=4.5.0-6+deb12u4 libdeflate0 libjbig0 libjpeg62-turbo liblerc4'
packages+=' liblzma5 libwebp7 libzstd1 zlib1g'
# shellcheck disable=SC2086 # a word a package
apt-get download -qq $packages 2>/dev/null || { echo 'needs Debian 12 and its package lists (apt-get update)'; exit 2; }
for package in ./*.deb; do
	dpkg -x "$package" root
done
lib=$(dirname "$(find root -name 'libtiff.so.6' | head -n 1)")
cat >rows.c <<'C'
#include <stdio.h>
#include <string.h>
#include <tiffio.h>

enum { width = 67, height = 8, bytes = (width + 7) / 8 };

int main(void) {
	unsigned char want[height][bytes] = {{0}}, got[bytes];
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			if ((x * x + 3 * y * y) % 7 < 3)
				want[y][x / 8] |= 0x80 >> x % 8;
	for (int compression = COMPRESSION_CCITTRLE;; compression = COMPRESSION_CCITTRLEW) {
		TIFF *t = TIFFOpen("a.tif", "w");
		TIFFSetField(t, TIFFTAG_IMAGEWIDTH, width);
		TIFFSetField(t, TIFFTAG_IMAGELENGTH, height);
		TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 1);
		TIFFSetField(t, TIFFTAG_COMPRESSION, compression);
		TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE);
		TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, height);
		for (int y = 0; y < height; y++)
			TIFFWriteScanline(t, memcpy(got, want[y], bytes), y, 0);
		TIFFClose(t);
		int same = 0, read = 0;
		t = TIFFOpen("a.tif", "r");
		for (int y = 0; y < height; y++) {
			read += TIFFReadScanline(t, got, y, 0) == 1;
			same += memcmp(got, want[y], bytes) == 0;
		}
		TIFFClose(t);
		printf("compression %d: %d rows read without an error, %s\n", compression, read,
			same == height ? "all as written" : "not as written");
		if (compression == COMPRESSION_CCITTRLEW)
			break;
	}
	fprintf(stderr, "%s\n", TIFFGetVersion());
	return 0;
}
C
include=$(dirname "$(find root -name tiffio.h | head -n 1)")
gcc -I"$include" -o rows rows.c "$lib/libtiff.so.6" -Wl,-rpath-link,"$lib"
LD_LIBRARY_PATH=$lib ./rows 2>version | tee seen
grep LIBTIFF version
diff seen - >/dev/null <<'SEEN' || { echo 'CHANGED: libtiff reads its word-aligned rows otherwise now'; exit 1; }
compression 2: 8 rows read without an error, all as written
compression 32771: 8 rows read without an error, not as written
SEEN
