//go:build !purego

#include "textflag.h"

// Go's assembler has no instructions for tiles and bfloat16, so they are written as bytes. Comments and macros name
// operands as Go does: the destination comes last. Tiles 0 to 3 have sums, the others factors.

// Eight tiles of 16 rows of 64 bytes.
DATA tileShapes<>+0(SB)/8, $1
DATA tileShapes<>+8(SB)/8, $0
DATA tileShapes<>+16(SB)/8, $0x0040004000400040
DATA tileShapes<>+24(SB)/8, $0x0040004000400040
DATA tileShapes<>+32(SB)/8, $0
DATA tileShapes<>+40(SB)/8, $0
DATA tileShapes<>+48(SB)/8, $0x1010101010101010
DATA tileShapes<>+56(SB)/8, $0
GLOBL tileShapes<>(SB), RODATA|NOPTR, $64

// The words of two vectors of 16, the second of which follows the first, taken in turn.
DATA inTurn<>+0(SB)/8, $0x0011000100100000
DATA inTurn<>+8(SB)/8, $0x0013000300120002
DATA inTurn<>+16(SB)/8, $0x0015000500140004
DATA inTurn<>+24(SB)/8, $0x0017000700160006
DATA inTurn<>+32(SB)/8, $0x0019000900180008
DATA inTurn<>+40(SB)/8, $0x001b000b001a000a
DATA inTurn<>+48(SB)/8, $0x001d000d001c000c
DATA inTurn<>+56(SB)/8, $0x001f000f001e000e
GLOBL inTurn<>(SB), RODATA|NOPTR, $64

// LDTILECFG (AX)
#define CONFIGURE \
	LEAQ tileShapes<>(SB), AX \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x78; BYTE $0x49; BYTE $0x00

// TILERELEASE
#define RELEASE \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x78; BYTE $0x49; BYTE $0xC0

// TILELOADD of tile 0 to 3 from rows at R10 or R11, DX or CX bytes apart
#define LOAD_TILE0_R10_DX BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x04; BYTE $0x12
#define LOAD_TILE1_R11_DX BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x0C; BYTE $0x13
#define LOAD_TILE2_R10_DX BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x14; BYTE $0x12
#define LOAD_TILE3_R11_DX BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x1C; BYTE $0x13
#define LOAD_TILE0_R10_CX BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x04; BYTE $0x0A
#define LOAD_TILE1_R10_CX BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x0C; BYTE $0x0A
#define LOAD_TILE2_R10_CX BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x14; BYTE $0x0A
#define LOAD_TILE3_R10_CX BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x1C; BYTE $0x0A

// TILESTORED of tile 0 to 3 to rows at R10, CX bytes apart
#define STORE_TILE0_R10_CX BYTE $0xC4; BYTE $0xC2; BYTE $0x7A; BYTE $0x4B; BYTE $0x04; BYTE $0x0A
#define STORE_TILE1_R10_CX BYTE $0xC4; BYTE $0xC2; BYTE $0x7A; BYTE $0x4B; BYTE $0x0C; BYTE $0x0A
#define STORE_TILE2_R10_CX BYTE $0xC4; BYTE $0xC2; BYTE $0x7A; BYTE $0x4B; BYTE $0x14; BYTE $0x0A
#define STORE_TILE3_R10_CX BYTE $0xC4; BYTE $0xC2; BYTE $0x7A; BYTE $0x4B; BYTE $0x1C; BYTE $0x0A

// Tiles are computed two by two, by a load for each product. An odd one beside them is computed with four, by five loads
// for four products.

// MULTIPLY_SQUARE adds the products of the left tiles at SI and DI, whose rows are AX bytes apart, with the right tiles
// at R8 and R9, whose rows are BX bytes apart: TILELOADD of tiles 4, 6, 5 and 7, TDPBF16PS 6, 4, 0; 7, 4, 1; 6, 5, 2; 7,
// 5, 3.
#define MULTIPLY_SQUARE \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x4B; BYTE $0x24; BYTE $0x06 \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x34; BYTE $0x18 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x4A; BYTE $0x5C; BYTE $0xC4             \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x3C; BYTE $0x19 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x42; BYTE $0x5C; BYTE $0xCC             \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x4B; BYTE $0x2C; BYTE $0x07 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x4A; BYTE $0x5C; BYTE $0xD5             \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x42; BYTE $0x5C; BYTE $0xDD

// MULTIPLY_SAMPLES adds the products of the samples at SI, DI, R10 and R11, whose rows are AX bytes apart, with the
// weights at R8, whose rows are BX bytes apart: TILELOADD of tiles 4 and 5, TDPBF16PS 4, 5, 0; TILELOADD of 6, TDPBF16PS
// 4, 6, 1; of 7, 4, 7, 2; of 5, 4, 5, 3.
#define MULTIPLY_SAMPLES \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x24; BYTE $0x18 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x4B; BYTE $0x2C; BYTE $0x06 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x5A; BYTE $0x5C; BYTE $0xC5             \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x4B; BYTE $0x34; BYTE $0x07 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x5A; BYTE $0x5C; BYTE $0xCE             \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x3C; BYTE $0x02 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x5A; BYTE $0x5C; BYTE $0xD7             \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x2C; BYTE $0x03 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x5A; BYTE $0x5C; BYTE $0xDD

// MULTIPLY_GRADIENTS adds the products of the samples at SI, whose rows are AX bytes apart, with the gradients at R8,
// R9, R10 and R11, whose rows are BX bytes apart: TILELOADD of tiles 4 and 5, TDPBF16PS 5, 4, 0; TILELOADD of 6,
// TDPBF16PS 6, 4, 1; of 7, 7, 4, 2; of 5, 5, 4, 3.
#define MULTIPLY_GRADIENTS \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x4B; BYTE $0x24; BYTE $0x06 \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x2C; BYTE $0x18 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x52; BYTE $0x5C; BYTE $0xC4             \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x34; BYTE $0x19 \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x4A; BYTE $0x5C; BYTE $0xCC             \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x3C; BYTE $0x1A \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x42; BYTE $0x5C; BYTE $0xD4             \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x7B; BYTE $0x4B; BYTE $0x2C; BYTE $0x1B \
	BYTE $0xC4; BYTE $0xE2; BYTE $0x52; BYTE $0x5C; BYTE $0xDC

// ADDRESS sets to to the address of an entry of base: at has its index, size its bytes.
#define ADDRESS(at, base, size, to) \
	MOVLQSX at, to           \
	LEAQ (base)(to*size), to

// func convolveTwoBFloat16AMX(dst *float32, dstStep int, src *uint16, step, pitch, rows, steps int, weights0,
//	weights1 *uint32, bias *float32, from, to *int32, n int)
TEXT ·convolveTwoBFloat16AMX(SB), NOSPLIT, $0-104
	CONFIGURE
	MOVQ step+24(FP), AX
	MOVQ $64, BX
	MOVQ dstStep+8(FP), CX
	XORQ DX, DX
	MOVQ from+80(FP), R12

pair:
	MOVQ bias+72(FP), R10
	LEAQ 64(R10), R11
	LOAD_TILE0_R10_DX
	LOAD_TILE1_R11_DX
	LOAD_TILE2_R10_DX
	LOAD_TILE3_R11_DX
	MOVQ weights0+56(FP), R8
	MOVQ weights1+64(FP), R9
	MOVQ src+16(FP), R10
	ADDRESS(0(R12), R10, 2, SI)
	ADDRESS(4(R12), R10, 2, DI)
	MOVQ rows+40(FP), R13

row:
	MOVQ SI, R10
	MOVQ DI, R11
	MOVQ steps+48(FP), R15

step:
	MULTIPLY_SQUARE
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $1024, R8
	ADDQ $1024, R9
	DECQ R15
	JNZ  step
	MOVQ R10, SI
	MOVQ R11, DI
	ADDQ pitch+32(FP), SI
	ADDQ pitch+32(FP), DI
	DECQ R13
	JNZ  row

	MOVQ to+88(FP), R13
	MOVQ dst+0(FP), SI
	ADDRESS(0(R13), SI, 4, R10)
	STORE_TILE0_R10_CX
	ADDQ $64, R10
	STORE_TILE1_R10_CX
	ADDRESS(4(R13), SI, 4, R10)
	STORE_TILE2_R10_CX
	ADDQ $64, R10
	STORE_TILE3_R10_CX

	ADDQ $8, R12
	ADDQ $8, to+88(FP)
	SUBQ $2, n+96(FP)
	JNZ  pair
	RELEASE
	RET

// func convolveOneBFloat16AMX(dst *float32, dstStep int, src *uint16, step, pitch, rows, steps int, weights *uint32,
//	bias *float32, from, to *int32, n int)
TEXT ·convolveOneBFloat16AMX(SB), NOSPLIT, $0-96
	CONFIGURE
	MOVQ step+24(FP), AX
	MOVQ $64, BX
	MOVQ steps+48(FP), R15
	SHLQ $6, R15
	MOVQ pitch+32(FP), DX
	SUBQ R15, DX // from behind a row of taps to the next one
	MOVQ from+72(FP), R12
	MOVQ to+80(FP), R9
	MOVQ src+16(FP), R14

four:
	MOVQ bias+64(FP), R10
	XORQ CX, CX
	LOAD_TILE0_R10_CX
	LOAD_TILE1_R10_CX
	LOAD_TILE2_R10_CX
	LOAD_TILE3_R10_CX
	MOVQ weights+56(FP), R8
	ADDRESS(0(R12), R14, 2, SI)
	ADDRESS(4(R12), R14, 2, DI)
	ADDRESS(8(R12), R14, 2, R10)
	ADDRESS(12(R12), R14, 2, R11)
	MOVQ rows+40(FP), R13

row:
	MOVQ steps+48(FP), R15

step:
	MULTIPLY_SAMPLES
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, R10
	ADDQ $64, R11
	ADDQ $1024, R8
	DECQ R15
	JNZ  step
	ADDQ DX, SI
	ADDQ DX, DI
	ADDQ DX, R10
	ADDQ DX, R11
	DECQ R13
	JNZ  row

	MOVQ dst+0(FP), SI
	MOVQ dstStep+8(FP), CX
	ADDRESS(0(R9), SI, 4, R10)
	STORE_TILE0_R10_CX
	ADDRESS(4(R9), SI, 4, R10)
	STORE_TILE1_R10_CX
	ADDRESS(8(R9), SI, 4, R10)
	STORE_TILE2_R10_CX
	ADDRESS(12(R9), SI, 4, R10)
	STORE_TILE3_R10_CX

	ADDQ $16, R12
	ADDQ $16, R9
	SUBQ $4, n+88(FP)
	JNZ  four
	RELEASE
	RET

// func correlateTwoBFloat16AMX(dst *float32, dstStep, second int, a *uint16, aStep int, b *uint32, bSecond, bStep,
//	steps int)
TEXT ·correlateTwoBFloat16AMX(SB), NOSPLIT, $0-72
	CONFIGURE
	MOVQ aStep+32(FP), AX
	MOVQ bStep+56(FP), BX
	MOVQ dstStep+8(FP), CX
	MOVQ CX, DX
	SHLQ $4, DX // from a row of tiles to the next
	MOVQ dst+0(FP), R10
	LOAD_TILE0_R10_CX
	ADDQ second+16(FP), R10
	LOAD_TILE1_R10_CX
	ADDQ DX, R10
	LOAD_TILE3_R10_CX
	SUBQ second+16(FP), R10
	LOAD_TILE2_R10_CX
	MOVQ a+24(FP), SI
	MOVQ AX, DI
	SHLQ $4, DI
	ADDQ SI, DI
	MOVQ b+40(FP), R8
	MOVQ R8, R9
	ADDQ bSecond+48(FP), R9
	MOVQ BX, R12
	SHLQ $4, R12
	MOVQ steps+64(FP), R13

step:
	MULTIPLY_SQUARE
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ R12, R8
	ADDQ R12, R9
	DECQ R13
	JNZ  step

	STORE_TILE2_R10_CX
	ADDQ second+16(FP), R10
	STORE_TILE3_R10_CX
	MOVQ dst+0(FP), R10
	STORE_TILE0_R10_CX
	ADDQ second+16(FP), R10
	STORE_TILE1_R10_CX
	RELEASE
	RET

// func correlateOneBFloat16AMX(dst *float32, dstStep int, a *uint16, aStep int, b *uint32, bStep int, at *[8]int,
//	steps int)
TEXT ·correlateOneBFloat16AMX(SB), NOSPLIT, $0-64
	CONFIGURE
	MOVQ aStep+24(FP), AX
	MOVQ bStep+40(FP), BX
	MOVQ dstStep+8(FP), CX
	MOVQ at+48(FP), DX
	MOVQ dst+0(FP), DI
	MOVQ b+32(FP), R15
	MOVQ (DX), R10
	ADDQ DI, R10
	LOAD_TILE0_R10_CX
	MOVQ 8(DX), R10
	ADDQ DI, R10
	LOAD_TILE1_R10_CX
	MOVQ 16(DX), R10
	ADDQ DI, R10
	LOAD_TILE2_R10_CX
	MOVQ 24(DX), R10
	ADDQ DI, R10
	LOAD_TILE3_R10_CX
	MOVQ 32(DX), R8
	ADDQ R15, R8
	MOVQ 40(DX), R9
	ADDQ R15, R9
	MOVQ 48(DX), R10
	ADDQ R15, R10
	MOVQ 56(DX), R11
	ADDQ R15, R11
	MOVQ a+16(FP), SI
	MOVQ BX, R12
	SHLQ $4, R12
	MOVQ steps+56(FP), R13

step:
	MULTIPLY_GRADIENTS
	ADDQ $64, SI
	ADDQ R12, R8
	ADDQ R12, R9
	ADDQ R12, R10
	ADDQ R12, R11
	DECQ R13
	JNZ  step

	MOVQ (DX), R10
	ADDQ DI, R10
	STORE_TILE0_R10_CX
	MOVQ 8(DX), R10
	ADDQ DI, R10
	STORE_TILE1_R10_CX
	MOVQ 16(DX), R10
	ADDQ DI, R10
	STORE_TILE2_R10_CX
	MOVQ 24(DX), R10
	ADDQ DI, R10
	STORE_TILE3_R10_CX
	RELEASE
	RET

// func roundBFloat16AMX(dst *uint16, src *float32, n int)
TEXT ·roundBFloat16AMX(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVUPS (SI), Z0
	BYTE $0x62; BYTE $0xF2; BYTE $0x7E; BYTE $0x48; BYTE $0x72; BYTE $0xC8 // VCVTNEPS2BF16 Z0, Y1
	VMOVUPS Y1, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// func pairBFloat16AMX(dst *uint32, low, high *float32, n int)
TEXT ·pairBFloat16AMX(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ low+8(FP), SI
	MOVQ high+16(FP), DX
	MOVQ n+24(FP), CX
	VMOVDQU64 inTurn<>(SB), Z3

loop:
	VMOVUPS (SI), Z0
	VMOVUPS (DX), Z1
	BYTE $0x62; BYTE $0xF2; BYTE $0x77; BYTE $0x48; BYTE $0x72; BYTE $0xD0 // VCVTNE2PS2BF16 Z0, Z1, Z2
	VPERMW Z2, Z3, Z2
	VMOVDQU64 Z2, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// PAIR sets z to the pairs of two rows of 16 numbers at SI, CX bytes apart, and moves SI behind them.
#define PAIR(z) \
	VMOVUPS (SI), Z16                                                       \
	VMOVUPS (SI)(CX*1), Z17                                                 \
	LEAQ (SI)(CX*2), SI                                                     \
	BYTE $0x62; BYTE $0xA2; BYTE $0x77; BYTE $0x40; BYTE $0x72; BYTE $0xD0 /* VCVTNE2PS2BF16 Z16, Z17, Z18 */ \
	VPERMW Z18, Z31, z

// ZIP interleaves the 32-bit halves of the 128-bit lanes of two vectors.
#define ZIP(a, b, low, high) \
	VPUNPCKLDQ b, a, low  \
	VPUNPCKHDQ b, a, high

// ZIP2 interleaves the 64-bit halves.
#define ZIP2(a, b, low, high) \
	VPUNPCKLQDQ b, a, low  \
	VPUNPCKHQDQ b, a, high

// LANES divides the 128-bit lanes of two vectors into those with an even number and those with an odd one.
#define LANES(a, b, even, odd) \
	VSHUFI32X4 $0x88, b, a, even \
	VSHUFI32X4 $0xDD, b, a, odd

#define STORE(z) \
	VMOVDQU64 z, (DI) \
	ADDQ DX, DI

// func transposeBFloat16AMX(dst *uint16, stride int, src *float32, step int)
TEXT ·transposeBFloat16AMX(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ step+24(FP), CX
	SHLQ $1, DX
	SHLQ $2, CX
	VMOVDQU64 inTurn<>(SB), Z31
	PAIR(Z0)
	PAIR(Z1)
	PAIR(Z2)
	PAIR(Z3)
	PAIR(Z4)
	PAIR(Z5)
	PAIR(Z6)
	PAIR(Z7)
	PAIR(Z8)
	PAIR(Z9)
	PAIR(Z10)
	PAIR(Z11)
	PAIR(Z12)
	PAIR(Z13)
	PAIR(Z14)
	PAIR(Z15)
	ZIP(Z0, Z1, Z16, Z17)
	ZIP(Z2, Z3, Z18, Z19)
	ZIP(Z4, Z5, Z20, Z21)
	ZIP(Z6, Z7, Z22, Z23)
	ZIP(Z8, Z9, Z24, Z25)
	ZIP(Z10, Z11, Z26, Z27)
	ZIP(Z12, Z13, Z28, Z29)
	ZIP(Z14, Z15, Z30, Z31)
	ZIP2(Z16, Z18, Z0, Z1)
	ZIP2(Z17, Z19, Z2, Z3)
	ZIP2(Z20, Z22, Z4, Z5)
	ZIP2(Z21, Z23, Z6, Z7)
	ZIP2(Z24, Z26, Z8, Z9)
	ZIP2(Z25, Z27, Z10, Z11)
	ZIP2(Z28, Z30, Z12, Z13)
	ZIP2(Z29, Z31, Z14, Z15)
	LANES(Z0, Z4, Z16, Z20)
	LANES(Z1, Z5, Z17, Z21)
	LANES(Z2, Z6, Z18, Z22)
	LANES(Z3, Z7, Z19, Z23)
	LANES(Z8, Z12, Z24, Z28)
	LANES(Z9, Z13, Z25, Z29)
	LANES(Z10, Z14, Z26, Z30)
	LANES(Z11, Z15, Z27, Z31)
	LANES(Z16, Z24, Z0, Z8)
	LANES(Z17, Z25, Z1, Z9)
	LANES(Z18, Z26, Z2, Z10)
	LANES(Z19, Z27, Z3, Z11)
	LANES(Z20, Z28, Z4, Z12)
	LANES(Z21, Z29, Z5, Z13)
	LANES(Z22, Z30, Z6, Z14)
	LANES(Z23, Z31, Z7, Z15)
	STORE(Z0)
	STORE(Z1)
	STORE(Z2)
	STORE(Z3)
	STORE(Z4)
	STORE(Z5)
	STORE(Z6)
	STORE(Z7)
	STORE(Z8)
	STORE(Z9)
	STORE(Z10)
	STORE(Z11)
	STORE(Z12)
	STORE(Z13)
	STORE(Z14)
	STORE(Z15)
	VZEROUPPER
	RET
