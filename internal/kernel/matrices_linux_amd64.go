//go:build linux && !purego

package kernel

import (
	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

// hasMatrices is true if the processor has AMX and the system lets the program use it.
var hasMatrices = cpu.X86.HasAMXTile && cpu.X86.HasAMXBF16 && cpu.X86.HasAVX512BF16 && allowMatrices()

// allowMatrices asks Linux for the registers of AMX, for all threads of the program.
func allowMatrices() bool {
	const (
		requestPermission = 0x1023 // ARCH_REQ_XCOMP_PERM in arch/x86/include/uapi/asm/prctl.h
		tileData          = 18     // the state component with the tiles
	)
	_, _, failed := unix.RawSyscall(unix.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return failed == 0
}

//go:noescape
func roundBFloat16AMX(dst *uint16, src *float32, n int)

//go:noescape
func pairBFloat16AMX(dst *uint32, low, high *float32, n int)

//go:noescape
func transposeBFloat16AMX(dst *uint16, stride int, src *float32, step int)

// convolveTwoBFloat16AMX computes 32 outputs of two blocks at a time. It takes dstStep, step and pitch in bytes.
//
//go:noescape
func convolveTwoBFloat16AMX(dst *float32, dstStep int, src *uint16, step, pitch, rows, steps int, weights0,
	weights1 *uint32, bias *float32, from, to *int32, n int)

// convolveOneBFloat16AMX computes 16 outputs of four blocks at a time. It takes dstStep, step and pitch in bytes.
//
//go:noescape
func convolveOneBFloat16AMX(dst *float32, dstStep int, src *uint16, step, pitch, rows, steps int, weights *uint32,
	bias *float32, from, to *int32, n int)

// correlateTwoBFloat16AMX adds to two tiles of sums in each of two rows of tiles. It takes all strides and offsets in
// bytes: second is that of the second tile in a row, bSecond that of its factor.
//
//go:noescape
func correlateTwoBFloat16AMX(dst *float32, dstStep, second int, a *uint16, aStep int, b *uint32, bSecond, bStep,
	steps int)

// correlateOneBFloat16AMX adds to four tiles of sums in a row of tiles. It takes all strides and offsets in bytes: at
// has those of the tiles in dst, then those of their factors in b.
//
//go:noescape
func correlateOneBFloat16AMX(dst *float32, dstStep int, a *uint16, aStep int, b *uint32, bStep int, at *[8]int,
	steps int)
