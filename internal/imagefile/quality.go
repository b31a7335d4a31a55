package imagefile

import "math"

// standardLuminance is the luminance table of ITU-T T.81, table K.1, in zigzag order:
// what nearly all encoders scale by their quality.
var standardLuminance = [64]float64{
	16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40,
	26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61, 60, 57, 51,
	56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87,
	95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
}

// jpegQuality estimates the quality, 1 to 100, of the JPEG in data: that at which the
// common encoder has a first quantisation table as coarse as the file's. It is 0 when
// the file has none.
func jpegQuality(data []byte) int {
	const markerTables = 0xdb
	quality := 0
	segments(data, func(marker byte, payload []byte) bool {
		if marker != markerTables {
			return marker != markerScan
		}
		for len(payload) > 0 && quality == 0 {
			wide, number := int(payload[0]>>4), payload[0]&15
			size := 64 * (1 + wide)
			if wide > 1 || len(payload) < 1+size {
				return false
			}
			if number == 0 {
				quality = tableQuality(payload[1:1+size], wide == 1)
			}
			payload = payload[1+size:]
		}
		return quality == 0
	})
	return quality
}

// tableQuality is the quality of a table, of bytes or of pairs of them. It goes by the
// geometric mean of its entries over the standard ones, which are scaled by 50/q below
// q = 50 and by 2 − q/50 above.
func tableQuality(table []byte, wide bool) int {
	sum, count := 0.0, 0
	for i, standard := range standardLuminance {
		v := 0.0
		if wide {
			v = float64(table[2*i])*256 + float64(table[2*i+1])
		} else {
			v = float64(table[i])
		}
		if !wide && v == 255 {
			continue // it would be more
		}
		sum, count = sum+math.Log(max(v, 1)/standard), count+1
	}
	if count == 0 {
		return 1
	}
	scale := math.Exp(sum / float64(count))
	if scale > 1 {
		return int(max(1, math.Round(50/scale)))
	}
	return int(math.Round(100 - 50*scale))
}
