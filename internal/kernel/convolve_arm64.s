//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// A tile is 16 outputs of four samples: those of sample s are in V(16+4s) to V(19+4s).
//
//	R0 dst           R6 words             R12 weights
//	R1 samples       R7 weights of R10    R13 rows left
//	R2 src           R8 bias              R14 next row
//	R3 rows          R9 outputs           R15 pairs left
//	R4 number of rows R10 output          R16 R17 R19 R20 pairs of the samples
//	R5 bytes of Step R11 sample           R21 bytes of the weights of 16 outputs
#define OPERANDS \
	MOVD dst+0(FP), R0 \
	MOVD samples+8(FP), R1 \
	MOVD src+16(FP), R2 \
	MOVD rows+24(FP), R3 \
	MOVD rowsLen+32(FP), R4 \
	MOVD step+40(FP), R5 \
	LSL $1, R5 \
	MOVD words+48(FP), R6 \
	MOVD weights+56(FP), R7 \
	MOVD bias+64(FP), R8 \
	MOVD biasLen+72(FP), R9 \
	MUL R4, R6, R21 \
	LSL $6, R21 \
	MOVD $0, R10

#define FROM_BIAS(s0, s1, s2, s3) \
	VMOV V0.B16, s0.B16 \
	VMOV V1.B16, s1.B16 \
	VMOV V2.B16, s2.B16 \
	VMOV V3.B16, s3.B16

// What half h of x, of one sample, adds to its sums, which begin at V(s): n and m are the
// registers with the weights of eight outputs each.
#define PRODUCTS(x, h, n, m, s) \
	SMLAL(x, h, n, (s+0)) \
	SMLAL2(x, h, n, (s+1)) \
	SMLAL(x, h, m, (s+2)) \
	SMLAL2(x, h, m, (s+3))

// The sums of a tile.
#define SUMS(row, pair) \
	ADD R10<<2, R8, R16 \
	VLD1 (R16), [V0.S4, V1.S4, V2.S4, V3.S4] \
	FROM_BIAS(V16, V17, V18, V19) \
	FROM_BIAS(V20, V21, V22, V23) \
	FROM_BIAS(V24, V25, V26, V27) \
	FROM_BIAS(V28, V29, V30, V31) \
	MOVD R7, R12 \
	MOVD R4, R13 \
	MOVD R3, R14 \
row: \
	MOVD.P 8(R14), R16 \
	ADD R16<<1, R2, R16 \
	MADD R5, R16, R11, R16 \
	ADD R5, R16, R17 \
	ADD R5, R17, R19 \
	ADD R5, R19, R20 \
	MOVD R6, R15 \
pair: \
	VLD2.P 32(R12), [V0.H8, V1.H8] \
	VLD2.P 32(R12), [V2.H8, V3.H8] \
	FMOVS.P 4(R16), F4 \
	FMOVS.P 4(R17), F5 \
	FMOVS.P 4(R19), F6 \
	FMOVS.P 4(R20), F7 \
	PRODUCTS(4, 0, 0, 2, 16) \
	PRODUCTS(5, 0, 0, 2, 20) \
	PRODUCTS(6, 0, 0, 2, 24) \
	PRODUCTS(7, 0, 0, 2, 28) \
	PRODUCTS(4, 1, 1, 3, 16) \
	PRODUCTS(5, 1, 1, 3, 20) \
	PRODUCTS(6, 1, 1, 3, 24) \
	PRODUCTS(7, 1, 1, 3, 28) \
	SUBS $1, R15 \
	BNE pair \
	SUBS $1, R13 \
	BNE row

// The next tile of a row of samples, of which the last ends where the row ends, and after
// it the next 16 outputs.
#define NEXT(sample, output, out) \
	SUB $4, R1, R16 \
	CMP R16, R11 \
	BGE out \
	ADD $4, R11 \
	CMP R16, R11 \
	CSEL GT, R16, R11, R11 \
	B sample \
out: \
	ADD R21, R7 \
	ADD $16, R10 \
	CMP R9, R10 \
	BLT output

// func convolveAssembly(dst *int16, samples int, src *int16, rows *int, rowsLen int, step int, words int, weights *int32, bias *int32, biasLen int, positive *float32, negative *float32, limits *int16, skip *int16, skipStep int, dstStep int)
TEXT ·convolveAssembly(SB), NOSPLIT, $0-128
	OPERANDS

output:
	MOVD $0, R11

sample:
	SUMS(row, pair)
	MOVD positive+80(FP), R16
	ADD R10<<2, R16
	VLD1 (R16), [V8.S4, V9.S4, V10.S4, V11.S4]
	MOVD negative+88(FP), R16
	ADD R10<<2, R16
	VLD1 (R16), [V12.S4, V13.S4, V14.S4, V15.S4]
	MOVD limits+96(FP), R16
	VLD1 (R16), [V5.H8]
	ADD $64, R16
	VLD1 (R16), [V6.H8]
	ADD $64, R16
	VLD1 (R16), [V7.H8]
	MOVD dstStep+120(FP), R22
	MADD R22, R10, R11, R16
	ADD R16<<1, R0, R16
	MOVD skip+104(FP), R17
	MOVD skipStep+112(FP), R20
	MADD R20, R10, R11, R19
	ADD R19<<1, R17
	MOVD limits+96(FP), R19
	ADD $192, R19
	STORE(16, 17, 18, 19)
	STORE(20, 21, 22, 23)
	STORE(24, 25, 26, 27)
	STORE(28, 29, 30, 31)
	NEXT(sample, output, out)
	RET

#define SCALE(n, d) \
	FLOAT(d, d) \
	FMUL(n, d, d)

#define STORE_FLOAT(s) \
	SCALE(8, (s+0)) \
	SCALE(9, (s+1)) \
	SCALE(10, (s+2)) \
	SCALE(11, (s+3))

// func residualAssembly(dst *float32, samples int, src *int16, rows *int, rowsLen int, step int, words int, weights *int32, bias *int32, biasLen int, scale *float32)
TEXT ·residualAssembly(SB), NOSPLIT, $0-88
	OPERANDS

output:
	MOVD $0, R11

sample:
	SUMS(row, pair)
	MOVD scale+80(FP), R16
	ADD R10<<2, R16
	VLD1 (R16), [V8.S4, V9.S4, V10.S4, V11.S4]
	MADD R9, R10, R11, R16
	ADD R16<<2, R0, R16
	STORE_FLOAT(16)
	STORE_FLOAT(20)
	STORE_FLOAT(24)
	STORE_FLOAT(28)
	VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R16)
	ADD R9<<2, R16
	VST1 [V20.S4, V21.S4, V22.S4, V23.S4], (R16)
	ADD R9<<2, R16
	VST1 [V24.S4, V25.S4, V26.S4, V27.S4], (R16)
	ADD R9<<2, R16
	VST1 [V28.S4, V29.S4, V30.S4, V31.S4], (R16)
	NEXT(sample, output, out)
	RET
