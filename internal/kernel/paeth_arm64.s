//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Sixteen bytes.
#define UABD(m, n, d) WORD $(0x6e207400 | m<<16 | n<<5 | d) // |n − m|
#define CMHS(m, n, d) WORD $(0x6e203c00 | m<<16 | n<<5 | d) // all ones where n ≥ m
#define CMHI(m, n, d) WORD $(0x6e203400 | m<<16 | n<<5 | d) // all ones where n > m
#define UQADD(m, n, d) WORD $(0x6e200c00 | m<<16 | n<<5 | d)
#define UMIN(m, n, d) WORD $(0x6e206c00 | m<<16 | n<<5 | d)
#define ABS(n, d) WORD $(0x4e20b800 | n<<5 | d)
#define UADDLP(n, d) WORD $(0x6e202800 | n<<5 | d) // sums of two, eight halves
#define UADALP(n, d) WORD $(0x6e606800 | n<<5 | d) // adds sums of two halves to four numbers

// |(b−c)+(a−c)| is the sum of |b−c| and |a−c| where both have the same sign, else the difference; a sum that is cut off
// at 255 is still no less than both.
//
// func paethAssembly(out *byte, x *byte, xLen int, a *byte, b *byte, c *byte) (sum int)
TEXT ·paethAssembly(SB), NOSPLIT, $0-56
	MOVD out+0(FP), R0
	MOVD x+8(FP), R1
	MOVD xLen+16(FP), R2
	MOVD a+24(FP), R3
	MOVD b+32(FP), R4
	MOVD c+40(FP), R5
	VEOR V16.B16, V16.B16, V16.B16

loop:
	FMOVQ.P 16(R3), F0
	FMOVQ.P 16(R4), F1
	FMOVQ.P 16(R5), F2
	FMOVQ.P 16(R1), F3
	UABD(2, 1, 4)
	UABD(2, 0, 5)
	CMHS(2, 1, 6)
	CMHS(2, 0, 7)
	VEOR V6.B16, V7.B16, V6.B16
	UQADD(5, 4, 7)
	UABD(5, 4, 17)
	CHOOSE(7, 17, 6)
	CMHI(5, 4, 7)
	CHOOSE(0, 1, 7)
	UMIN(5, 4, 4)
	CMHI(6, 4, 4)
	CHOOSE(7, 2, 4)
	VSUB V4.B16, V3.B16, V3.B16
	FMOVQ.P F3, 16(R0)
	ABS(3, 3)
	UADDLP(3, 3)
	UADALP(3, 16)
	SUBS $16, R2
	BNE loop
	VADDV V16.S4, V16
	FMOVS F16, R0
	MOVD R0, sum+48(FP)
	RET
