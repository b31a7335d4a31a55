//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// d = n + m and d = n − m, eight halves.
#define ADD8(m, n, d) WORD $(0x4e608400 | m<<16 | n<<5 | d)
#define SUB8(m, n, d) WORD $(0x6e608400 | m<<16 | n<<5 | d)

// The next column of samples, transformed, to V(c) to V(c+3).
#define READ(c) \
	VLD1.P (R9)(R5), [V16.H8] \
	VLD1.P (R10)(R5), [V17.H8] \
	VLD1.P (R11)(R5), [V18.H8] \
	VLD1.P (R12)(R5), [V19.H8] \
	SUB8(18, 16, (c+0)) \
	ADD8(17, 18, (c+1)) \
	SUB8(17, 18, (c+2)) \
	SUB8(17, 19, (c+3))

// A column of a tile's transform, in the order of entry.
#define WRITE_COLUMN(OF, m, n) \
	OF((m+1), (n+1), 16) \
	OF((m+2), (n+2), 17) \
	OF((m+0), (n+0), 18) \
	OF((m+3), (n+3), 19) \
	VST1.P [V16.H8], (R14)(R2) \
	VST1.P [V17.H8], (R14)(R2) \
	VST1.P [V18.H8], (R14)(R2) \
	VST1.P [V19.H8], (R14)(R2)

// The transform of a tile whose columns begin at V(a), V(a+4), V(b) and V(b+4).
#define WRITE(a, b) \
	WRITE_COLUMN(SUB8, b, a) \
	WRITE_COLUMN(ADD8, b, (a+4)) \
	WRITE_COLUMN(SUB8, (a+4), b) \
	WRITE_COLUMN(SUB8, (a+4), (b+4)) \
	ADD R15, R14

#define ROW_OF_CHANNELS(i, r) \
	MOVD (8*i)(R4), r \
	ADD R8, r \
	ADD r<<1, R3, r

// Half of the columns of a tile are those of the tile before it: two tiles in turn exchange registers. V0 to V15 are
// four columns of eight channels.
//
//	R0 v                 R5 bytes of step    R9 to R12 samples of the rows
//	R2 bytes of stride   R6 n                R14 transform
//	R3 src               R7 channels         R15 from the end of a tile's transform to the next tile's
//	R4 rows              R8 channel          R16 tiles left
//
// func transformInputAssembly(v *int16, stride int, src *int16, rows *int, step int, n int, channels int)
TEXT ·transformInputAssembly(SB), NOSPLIT, $0-56
	MOVD v+0(FP), R0
	MOVD stride+8(FP), R2
	LSL $1, R2
	MOVD src+16(FP), R3
	MOVD rows+24(FP), R4
	MOVD step+32(FP), R5
	LSL $1, R5
	MOVD n+40(FP), R6
	MOVD channels+48(FP), R7
	LSL $1, R7, R15
	SUB R2<<4, R15
	MOVD $0, R8

channels:
	ROW_OF_CHANNELS(0, R9)
	ROW_OF_CHANNELS(1, R10)
	ROW_OF_CHANNELS(2, R11)
	ROW_OF_CHANNELS(3, R12)
	ADD R8<<1, R0, R14
	MOVD R6, R16
	READ(0)
	READ(4)

tile:
	READ(8)
	READ(12)
	WRITE(0, 8)
	SUBS $1, R16
	BEQ next
	READ(0)
	READ(4)
	WRITE(8, 0)
	SUBS $1, R16
	BNE tile

next:
	ADD $8, R8
	CMP R7, R8
	BLT channels
	RET

// Two rows of four sums become two outputs.
#define GATHER(a, b, c, d) \
	VADD b.S4, a.S4, a.S4 \
	VADD c.S4, a.S4, a.S4 \
	VSUB c.S4, b.S4, b.S4 \
	VADD d.S4, b.S4, b.S4

// The sums of 16 outputs of two samples of a row of a tile, in V16 to V19 and V20 to V23.
#define GATHER_OUTPUTS \
	VLD1.P (R12)(R14), [V16.S4, V17.S4] \
	VLD1.P (R13)(R14), [V18.S4, V19.S4] \
	VLD1.P (R12)(R14), [V20.S4, V21.S4] \
	VLD1.P (R13)(R14), [V22.S4, V23.S4] \
	VLD1.P (R12)(R14), [V24.S4, V25.S4] \
	VLD1.P (R13)(R14), [V26.S4, V27.S4] \
	VLD1 (R12), [V28.S4, V29.S4] \
	VLD1 (R13), [V30.S4, V31.S4] \
	GATHER(V16, V20, V24, V28) \
	GATHER(V17, V21, V25, V29) \
	GATHER(V18, V22, V26, V30) \
	GATHER(V19, V23, V27, V31)

// The outputs of these, at dst, to which is added what is at skip, or nothing.
#define WRITE_SUM(dst, skip) \
	MOVD dst, R16 \
	MOVD skip, R17 \
	STORE(16, 18, 17, 19) \
	STORE(20, 22, 21, 23) \
	MOVD R16, dst \
	MOVD R17, skip
#define WRITE_ALONE(dst) \
	LIMIT_ALL(16, 18, 17, 19) \
	VST1.P [V1.H8, V2.H8], (dst)(R22) \
	LIMIT_ALL(20, 22, 21, 23) \
	VST1.P [V1.H8, V2.H8], (dst)(R22)

// The sums of 16 outputs are four vectors, of which two lie together, the two others R16 bytes after these: so sumLane
// has ordered them that pairs of vectors become vectors of outputs. Without skip the outputs are within the last limits.
//
//	R0 dst                 R8 bytes of skipSecond     R19 last limit
//	R1 bytes of second     R9 skip, R10 output        R20 skipStep, R22 dstStep
//	R2 sums                R11 tiles left             R21 R25 what is added to the two rows
//	R4 n, R5 outputs       R12 R13 two vectors each   R23 R24 the two rows of outputs
//	R6 positive            R14 bytes of two strides
//	R7 negative            R15 and R3 from the last sums of a row to the next row's, and to the next tile's
//
// func transformOutputAssembly(dst *int16, second int, sums *int32, stride int, n int, outputs int, positive *float32, negative *float32, limits *int16, skip *int16, skipSecond int, skipStep int, dstStep int)
TEXT ·transformOutputAssembly(SB), NOSPLIT, $0-104
	MOVD dst+0(FP), R0
	MOVD second+8(FP), R1
	LSL $1, R1
	MOVD sums+16(FP), R2
	MOVD stride+24(FP), R3
	LSL $3, R3, R14
	MOVD n+32(FP), R4
	MOVD outputs+40(FP), R5
	MOVD positive+48(FP), R6
	MOVD negative+56(FP), R7
	MOVD limits+64(FP), R19
	VLD1 (R19), [V5.H8]
	ADD $64, R19
	VLD1 (R19), [V6.H8]
	ADD $64, R19
	VLD1 (R19), [V7.H8]
	ADD $64, R19
	MOVD skip+72(FP), R9
	MOVD skipSecond+80(FP), R8
	LSL $1, R8
	MOVD skipStep+88(FP), R20
	MOVD dstStep+96(FP), R22
	LSL $2, R3, R16
	ADD R16<<2, R16, R15
	NEG R15, R15
	LSL $3, R16, R17
	SUB R17, R16, R3
	ADD R5<<2, R3
	MOVD $0, R10

output:
	AND $31, R10, R11
	SUB R11, R10, R17
	ADD $32, R17, R16
	CMP R5, R16
	BGT half
	MOVD $64, R16
	LSL $2, R17
	ADD R11<<1, R17
	B begin

half:
	MOVD $32, R16
	LSL $2, R10, R17

begin:
	ADD R17, R2, R12
	ADD R16, R12, R13
	ADD R17, R6, R23
	VLD1.P (R23)(R16), [V8.S4, V9.S4]
	VLD1 (R23), [V10.S4, V11.S4]
	ADD R17, R7, R24
	VLD1.P (R24)(R16), [V12.S4, V13.S4]
	VLD1 (R24), [V14.S4, V15.S4]
	ADD R10<<1, R0, R23
	ADD R1, R23, R24
	ADD R10<<1, R9, R21
	ADD R8, R21, R25
	MOVD R4, R11
	CBZ R20, alone

tile:
	GATHER_OUTPUTS
	WRITE_SUM(R23, R21)
	ADD R15, R12
	ADD R15, R13
	GATHER_OUTPUTS
	WRITE_SUM(R24, R25)
	ADD R3, R12
	ADD R3, R13
	SUBS $1, R11
	BNE tile

next:
	ADD $16, R10
	CMP R5, R10
	BLT output
	RET

alone:
	LSL $1, R22

tileAlone:
	GATHER_OUTPUTS
	WRITE_ALONE(R23)
	ADD R15, R12
	ADD R15, R13
	GATHER_OUTPUTS
	WRITE_ALONE(R24)
	ADD R3, R12
	ADD R3, R13
	SUBS $1, R11
	BNE tileAlone
	LSR $1, R22
	B next
