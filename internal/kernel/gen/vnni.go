package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vnni writes VPDPWSSD, which avo does not know: in each 32-bit lane, acc += x₀·y₀ + x₁·y₁ for the two 16-bit halves.
func vnni(t tier, x, y, acc reg.VecVirtual) {
	opcode := "VPDPWSSD"
	if t.name == AVXVNNI {
		opcode = vexForm // which encodeVEX replaces by bytes
	}
	Instruction(&ir.Instruction{
		Opcode: opcode, Operands: []Op{x, y, acc}, Inputs: []Op{x, y, acc}, Outputs: []Op{acc}, ISA: []string{t.name},
	})
}

// vexForm stands for VPDPWSSD with a VEX prefix. Go's assembler only knows the form for AVX-512, with an EVEX prefix.
const vexForm = "VPDPWSSD_VEX"

var vexLine = regexp.MustCompile(vexForm + `\s+Y(\d+), Y(\d+), Y(\d+)`)

// encodeVEX replaces VPDPWSSD_VEX in a file of assembly by bytes: VEX.256.66.0F38.W0 52 /r (Intel's manual, volume 2).
func encodeVEX(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text = vexLine.ReplaceAllFunc(text, func(found []byte) []byte {
		var n [3]int
		for i, digits := range vexLine.FindSubmatch(found)[1:] {
			n[i], _ = strconv.Atoi(string(digits))
		}
		x, y, acc := n[0], n[1], n[2]
		// The bytes are C4, registers, y inverted with the length and prefix, the opcode 52, and the other operands.
		registers := 0xe2 &^ (acc >> 3 << 7) &^ (x >> 3 << 5) // inverted bits R, X and B, and the opcode map 0F38
		return fmt.Appendf(nil, "LONG $0x52%02x%02xc4; BYTE $0x%02x // VPDPWSSD Y%d, Y%d, Y%d", 0x05|(15-y)<<3,
			registers, 0xc0|acc&7<<3|x&7, x, y, acc)
	})
	return os.WriteFile(file, text, 0o666)
}
