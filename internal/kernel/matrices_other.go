//go:build !linux || !amd64 || purego

package kernel

const hasMatrices = false

func roundBFloat16AMX(*uint16, *float32, int) {}

func pairBFloat16AMX(*uint32, *float32, *float32, int) {}

func transposeBFloat16AMX(*uint16, int, *float32, int) {}

func convolveTwoBFloat16AMX(*float32, int, *uint16, int, int, int, int, *uint32, *uint32, *float32, *int32, *int32,
	int) {
}

func convolveOneBFloat16AMX(*float32, int, *uint16, int, int, int, int, *uint32, *float32, *int32, *int32, int) {
}

func correlateTwoBFloat16AMX(*float32, int, int, *uint16, int, *uint32, int, int, int) {}

func correlateOneBFloat16AMX(*float32, int, *uint16, int, *uint32, int, *[8]int, int) {}
