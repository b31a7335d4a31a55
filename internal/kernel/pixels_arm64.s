//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

#define FADD(m, n, d) WORD $(0x4e20d400 | m<<16 | n<<5 | d)
#define GREATER(m, n, d) WORD $(0x6ea0e400 | m<<16 | n<<5 | d) // FCMGT: all ones where n > m

// A sample has 2, 3 or 4 numbers, in f, which is v.
#define LOAD2(p, f, v) FMOVD (p), f
#define LOAD3(p, f, v) \
	FMOVD (p), f \
	ADD $8, p, R16 \
	VLD1 (R16), v.S[2]
#define LOAD4(p, f, v) FMOVQ (p), f
#define SAVE2(f, v, p) FMOVD f, (p)
#define SAVE3(f, v, p) \
	FMOVD f, (p) \
	ADD $8, p, R16 \
	VST1 v.S[2], (R16)
#define SAVE4(f, v, p) FMOVQ f, (p)

// All pixels of a sample are worked on together.
#define PIXELS(LOAD, SAVE, bytes, next) \
next: \
	LOAD(R2, F0, V0) \
	LOAD(R3, F1, V1) \
	LOAD(R4, F2, V2) \
	FADD(1, 0, 0) \
	FADD(2, 0, 0) \
	VLD1R.P (R8)(R9), [V1.S4] \
	FMUL(1, 0, 0) \
	LOAD(R1, F1, V1) \
	FADD(0, 1, 1) \
	VLD1R.P (R10)(R11), [V2.S4] \
	GREATER(2, 1, 0) \
	CHOOSE(2, 1, 0) \
	VLD1R.P (R12)(R13), [V2.S4] \
	GREATER(2, 0, 1) \
	CHOOSE(0, 2, 1) \
	SAVE(F1, V1, R0) \
	ADD $bytes, R0 \
	ADD $bytes, R1 \
	ADD R7, R2 \
	ADD R7, R3 \
	ADD R7, R4 \
	SUBS $1, R5 \
	BNE next \
	RET

// func addPixelsAssembly(dst *float32, was *float32, sums *float32, n int, scale int, step int, outputs int, share *float32, shareStep int, least *float32, leastStep int, most *float32, mostStep int)
TEXT ·addPixelsAssembly(SB), NOSPLIT, $0-104
	MOVD dst+0(FP), R0
	MOVD was+8(FP), R1
	MOVD sums+16(FP), R2
	MOVD n+24(FP), R5
	MOVD scale+32(FP), R6
	MOVD step+40(FP), R7
	MOVD outputs+48(FP), R4
	ADD R7, R4
	ADD R4<<2, R2, R3
	ADD R4<<2, R3, R4
	LSL $2, R7
	MOVD share+56(FP), R8
	MOVD shareStep+64(FP), R9
	LSL $2, R9
	MOVD least+72(FP), R10
	MOVD leastStep+80(FP), R11
	LSL $2, R11
	MOVD most+88(FP), R12
	MOVD mostStep+96(FP), R13
	LSL $2, R13
	CMP $3, R6
	BLT two
	BGT four
	PIXELS(LOAD3, SAVE3, 12, three)

two:
	PIXELS(LOAD2, SAVE2, 8, nextOfTwo)

four:
	PIXELS(LOAD4, SAVE4, 16, nextOfFour)
