//go:build !linux || !amd64 || purego

package kernel

const hasMatrices = false

func roundBFloat16AMX(*uint16, *float32, int) {}

func pairBFloat16AMX(*uint32, *float32, *float32, int) {}

func transposeBFloat16AMX(*uint16, int, *float32, int) {}

func convolveBFloat16AMX(*float32, int, int, *uint16, int, int, int, int, *uint32, *uint32, *float32, *float32, *int32,
	*int32, int) {
}

func correlateBFloat16AMX(*float32, int, int, int, *uint16, *uint16, int, *uint32, int, int, int) {}
