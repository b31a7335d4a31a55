//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// BLOCK has an instruction for each of the sums of a block.
#define BLOCK(OF) \
	TILE(OF, V8, V9, V10, V11) \
	TILE(OF, V12, V13, V14, V15) \
	TILE(OF, V16, V17, V18, V19) \
	TILE(OF, V20, V21, V22, V23) \
	TILE(OF, V24, V25, V26, V27) \
	TILE(OF, V28, V29, V30, V31)
#define TILE(OF, a, b, c, d) \
	OF(V0, a) \
	OF(V1, b) \
	OF(V2, c) \
	OF(V3, d)
#define CLEAR(from, v) VEOR v.B16, v.B16, v.B16
#define ADD_BIAS(from, v) VADD from.S4, v.S4, v.S4

// What half h of six tiles adds to eight sums of each, which begin at V(s): n is the register with the weights.
#define PRODUCTS(h, n, s) \
	SMLAL(0, h, n, (s+0)) \
	SMLAL2(0, h, n, (s+1)) \
	SMLAL(1, h, n, (s+4)) \
	SMLAL2(1, h, n, (s+5)) \
	SMLAL(2, h, n, (s+8)) \
	SMLAL2(2, h, n, (s+9)) \
	SMLAL(3, h, n, (s+12)) \
	SMLAL2(3, h, n, (s+13)) \
	SMLAL(4, h, n, (s+16)) \
	SMLAL2(4, h, n, (s+17)) \
	SMLAL(5, h, n, (s+20)) \
	SMLAL2(5, h, n, (s+21))

// What a pair, of halves h and h+1, adds to all sums.
#define PAIR(h) \
	VLD2.P (R14)(R17), [V6.H8, V7.H8] \
	PRODUCTS(h, 6, 8) \
	PRODUCTS((h+1), 7, 8) \
	VLD2.P (R15)(R17), [V6.H8, V7.H8] \
	PRODUCTS(h, 6, 10) \
	PRODUCTS((h+1), 7, 10)

// All sums, at R16.
#define WRITE_SUMS \
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], (R16)(R8) \
	VST1.P [V12.S4, V13.S4, V14.S4, V15.S4], (R16)(R8) \
	VST1.P [V16.S4, V17.S4, V18.S4, V19.S4], (R16)(R8) \
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], (R16)(R8) \
	VST1.P [V24.S4, V25.S4, V26.S4, V27.S4], (R16)(R8) \
	VST1.P [V28.S4, V29.S4, V30.S4, V31.S4], (R16)(R8)

#define READ_SUMS \
	VLD1.P (R16)(R8), [V8.S4, V9.S4, V10.S4, V11.S4] \
	VLD1.P (R16)(R8), [V12.S4, V13.S4, V14.S4, V15.S4] \
	VLD1.P (R16)(R8), [V16.S4, V17.S4, V18.S4, V19.S4] \
	VLD1.P (R16)(R8), [V20.S4, V21.S4, V22.S4, V23.S4] \
	VLD1.P (R16)(R8), [V24.S4, V25.S4, V26.S4, V27.S4] \
	VLD1.P (R16)(R8), [V28.S4, V29.S4, V30.S4, V31.S4]

// d −= n·m, four numbers.
#define MLS(m, n, d) WORD $(0x6ea09400 | m<<16 | n<<5 | d)

// The sums of a tile, V(s) to V(s+3), are kept at R16 in place of one of their two entries, and become their difference.
// V4 holds 2.
#define PART(s, a, b, c, d) \
	VLD1 (R16), [V0.S4, V1.S4, V2.S4, V3.S4] \
	VST1.P [a.S4, b.S4, c.S4, d.S4], (R16)(R8) \
	MLS(4, 0, (s+0)) \
	MLS(4, 1, (s+1)) \
	MLS(4, 2, (s+2)) \
	MLS(4, 3, (s+3))

// NEXT_ENTRY moves the pointers to the tiles.
#define NEXT_ENTRY(OP, by) \
	OP by, R19 \
	OP by, R20 \
	OP by, R21 \
	OP by, R22 \
	OP by, R23 \
	OP by, R24

// A block is 16 outputs of six tiles: the sums of tile t are in V(8+4t) to V(11+4t). The entries of a column come one
// after the other: the third row's, the second's, the last's, the first's. The sum of the first two is kept; their
// difference is the sum less twice the third row's. The products of the last row are added to the difference, those of
// the first to the sum. Of the instructions for eight channels 192 multiply, and 16 do not.
//
//	R0 sums of the column    R8 bytes of outputs    R16 groups of eight channels left
//	R1 bytes of sumStride    R9 column              R17 twice R8
//	R2 v of the column       R10 bytes of output    R19 to R24 channels of the tiles
//	R3 entries done          R11 tile               R25 bytes of the weights of two entries
//	R4 n                     R12 sums of the block
//	R5 bytes of a tile       R13 from an entry of a tile to the end of that after it
//	R6 weights, R7 bias      R14 R15 weights of eight outputs each
//
// func multiplyTilesAssembly(sums *int32, sumStride int, v *int16, stride int, n int, channels int, weights *int32, bias *int32, biasLen int)
TEXT ·multiplyTilesAssembly(SB), NOSPLIT, $0-72
	MOVD sums+0(FP), R0
	MOVD sumStride+8(FP), R1
	LSL $2, R1
	MOVD v+16(FP), R2
	MOVD n+32(FP), R4
	MOVD channels+40(FP), R5
	MOVD weights+48(FP), R6
	MOVD bias+56(FP), R7
	MOVD biasLen+64(FP), R8
	LSL $2, R8
	LSL $1, R8, R17
	MUL R5, R8, R25
	LSL $1, R5
	MOVD stride+24(FP), R13
	ADD R13<<1, R5, R13
	MOVD $0, R9

column:
	MOVD $0, R10

output:
	MOVD $0, R11

block:
	ADD R13, R2, R16
	SUB R5, R16
	MADD R5, R16, R11, R19
	ADD R5, R19, R20
	ADD R5, R20, R21
	ADD R5, R21, R22
	ADD R5, R22, R23
	ADD R5, R23, R24
	ADD R10, R6, R14
	ADD R8, R14
	ADD $32, R14, R15
	MADD R8, R0, R11, R12
	ADD R10, R12
	MOVD $0, R3
	BLOCK(CLEAR)

entry:
	LSR $4, R5, R16

channels:
	FMOVQ.P 16(R19), F0
	FMOVQ.P 16(R20), F1
	FMOVQ.P 16(R21), F2
	FMOVQ.P 16(R22), F3
	FMOVQ.P 16(R23), F4
	FMOVQ.P 16(R24), F5
	PAIR(0)
	PAIR(2)
	PAIR(4)
	PAIR(6)
	SUBS $1, R16
	BNE channels
	MOVD R12, R16
	ADD $1, R3
	CMP $2, R3
	BLT second
	BEQ last
	CMP $3, R3
	BEQ first
	WRITE_SUMS
	SUB $6, R4, R16
	CMP R16, R11
	BGE out
	ADD $6, R11
	CMP R16, R11
	CSEL GT, R16, R11, R11
	B block

second:
	WRITE_SUMS
	CMP $1, R9
	BNE before
	ADD R10, R7, R16
	VLD1 (R16), [V0.S4, V1.S4, V2.S4, V3.S4]
	BLOCK(ADD_BIAS)
	B before

last:
	WORD $0x4f000444 // MOVI $2, V4.S4
	PART(8, V8, V9, V10, V11)
	PART(12, V12, V13, V14, V15)
	PART(16, V16, V17, V18, V19)
	PART(20, V20, V21, V22, V23)
	PART(24, V24, V25, V26, V27)
	PART(28, V28, V29, V30, V31)
	ADD R13<<1, R13, R16
	SUB R5<<2, R16
	NEXT_ENTRY(ADD, R16)
	ADD R8, R14
	ADD R8, R15
	B entry

first:
	ADD R1, R16
	WRITE_SUMS
	MOVD R12, R16
	READ_SUMS

before:
	NEXT_ENTRY(SUB, R13)
	SUB R25, R14
	SUB R25, R15
	SUB R8, R14
	SUB R8, R15
	B entry

out:
	ADD $64, R10
	CMP R8, R10
	BLT output
	SUB R5, R13, R16
	ADD R16<<2, R2
	ADD R1<<1, R0
	ADD R25<<1, R6
	ADD $1, R9
	CMP $4, R9
	BLT column
	RET
