// Instructions that the assembler does not know, on vectors of four numbers of 32 bits or
// eight of 16: d is the last register's number and the result's.

// d += the lower or the upper four halves n, times half h of m, one of the first 16 registers.
#define HALF(h, m) ((h>>2)<<11 | (h>>1&1)<<21 | (h&1)<<20 | m<<16)
#define SMLAL(m, h, n, d) WORD $(0x0f402000 | HALF(h, m) | n<<5 | d)
#define SMLAL2(m, h, n, d) WORD $(0x4f402000 | HALF(h, m) | n<<5 | d)
#define NEGATIVE(n, d) WORD $(0x4ea0a800 | n<<5 | d) // CMLT: all ones where n < 0
#define CHOOSE(m, n, d) WORD $(0x6e601c00 | m<<16 | n<<5 | d) // BSL: n where d is ones, m elsewhere
#define FLOAT(n, d) WORD $(0x4e21d800 | n<<5 | d) // SCVTF
#define FMUL(m, n, d) WORD $(0x6e20dc00 | m<<16 | n<<5 | d)
#define ROUND(n, d) WORD $(0x4e21a800 | n<<5 | d) // FCVTNS: half to even
#define SQXTN(n, d) WORD $(0x0e614800 | n<<5 | d) // the lower four halves
#define SQXTN2(n, d) WORD $(0x4e614800 | n<<5 | d) // the upper four
#define SMAX(m, n, d) WORD $(0x4e606400 | m<<16 | n<<5 | d)
#define SMIN(m, n, d) WORD $(0x4e606c00 | m<<16 | n<<5 | d)
#define SQADD(m, n, d) WORD $(0x4e600c00 | m<<16 | n<<5 | d)

// Sums are scaled, by V(8+d%4) or if they are negative by V(12+d%4), and rounded.
#define LIMIT(d) \
	NEGATIVE(d, 0) \
	CHOOSE((8+d%4), (12+d%4), 0) \
	FLOAT(d, d) \
	FMUL(0, d, d) \
	ROUND(d, d)

// The 16 sums a, b, c and d of a sample are rounded, and limited by V5 and V6, to V1 and V2. V0 changes.
#define LIMIT_ALL(a, b, c, d) \
	LIMIT(a) \
	LIMIT(b) \
	LIMIT(c) \
	LIMIT(d) \
	SQXTN(a, 1) \
	SQXTN2(b, 1) \
	SQXTN(c, 2) \
	SQXTN2(d, 2) \
	SMIN(5, 1, 1) \
	SMIN(5, 2, 2) \
	SMAX(6, 1, 1) \
	SMAX(6, 2, 2)

// The same are stored at R16; what is added to them is at R17. The last limits are V7 and what is at R19, and R22 and
// R20 the steps from a sample to the next. V0 to V4 change.
#define STORE(a, b, c, d) \
	LIMIT_ALL(a, b, c, d) \
	VLD1 (R17), [V3.H8, V4.H8] \
	SQADD(3, 1, 1) \
	SQADD(4, 2, 2) \
	VLD1 (R19), [V0.H8] \
	SMIN(7, 1, 1) \
	SMIN(7, 2, 2) \
	SMAX(0, 1, 1) \
	SMAX(0, 2, 2) \
	VST1 [V1.H8, V2.H8], (R16) \
	ADD R22<<1, R16 \
	ADD R20<<1, R17
