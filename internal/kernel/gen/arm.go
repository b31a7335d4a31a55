package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// armFunction is an operation for arm64 under construction. Its lines contain variables, as <n>, in place of registers.
type armFunction struct {
	name     string
	offsets  map[string]int // of the parameters in the stack frame
	size     int            // of all parameters together
	lines    []armLine
	prologue []armLine // goes before lines
	loops    [][2]int  // the first line of each loop, and the line after it
	isVector []bool    // for each variable, whether it is a vector

	constants map[uint32]vector
}

// armLine is text, or the code of an instruction that the assembler does not know, to which register numbers are added.
type armLine struct {
	text      string
	code      uint32
	mnemonic  string
	registers []armOperand
}

// armOperand is a variable, and the bit in the instruction's code where its register number begins.
type armOperand struct{ variable, shift int }

// newArmFunction returns the empty function of an operation, with its parameters placed in the stack frame as Go
// does: each is aligned to its size, 4 bytes for a float32, otherwise 8.
func newArmFunction(op operation) (*armFunction, error) {
	sig, err := op.parse()
	if err != nil {
		return nil, err
	}
	f := &armFunction{name: op.assemblyName(), offsets: map[string]int{}, constants: map[uint32]vector{}}
	for _, p := range sig.parameters {
		size := 8
		if p.isFloat32 {
			size = 4
		}
		f.size = (f.size + size - 1) / size * size
		f.offsets[p.name] = f.size
		f.size += size
	}
	f.size = (f.size + 7) / 8 * 8
	return f, nil
}

func (f *armFunction) newRegister(isVector bool) int {
	f.isVector = append(f.isVector, isVector)
	return len(f.isVector) - 1
}

// param returns the memory of a parameter, as the assembler writes it.
func (f *armFunction) param(name string) string {
	at, ok := f.offsets[name]
	if !ok {
		panic(f.name + ": no parameter " + name)
	}
	return fmt.Sprintf("%s+%d(FP)", name, at)
}

func (f *armFunction) write(format string, values ...any) {
	f.lines = append(f.lines, armLine{text: fmt.Sprintf(format, values...)})
}

// instruction adds an instruction with the integer n, often an address in memory, and the vector v.
func (f *armFunction) instruction(code uint32, mnemonic string, n integer, v vector) {
	f.lines = append(f.lines, armLine{code: code, mnemonic: mnemonic, registers: []armOperand{{n.arm, 5}, {v.arm, 0}}})
}

// indexed adds an instruction with the vector v and the memory at base plus index.
func (f *armFunction) indexed(code uint32, mnemonic string, base, index integer, v vector) {
	f.lines = append(f.lines, armLine{code: code, mnemonic: mnemonic,
		registers: []armOperand{{base.arm, 5}, {index.arm, 16}, {v.arm, 0}}})
}

// vectors adds a vector instruction with operands a and b and result v. If b is −1, a is the only operand.
func (f *armFunction) vectors(code uint32, mnemonic string, a, b, v vector) {
	list := []armOperand{{a.arm, 5}}
	if b.arm >= 0 {
		list = append(list, armOperand{b.arm, 16})
	}
	f.lines = append(f.lines, armLine{code: code, mnemonic: mnemonic, registers: append(list, armOperand{v.arm, 0})})
}

var armVariable = regexp.MustCompile(`<\d+>`)

// variables returns the numbers of the variables that a line uses: written as <number> in its text, or as operands.
func (l armLine) variables() (list []int) {
	for _, s := range armVariable.FindAllString(l.text, -1) {
		n, _ := strconv.Atoi(s[1 : len(s)-1])
		list = append(list, n)
	}
	for _, o := range l.registers {
		list = append(list, o.variable)
	}
	return list
}

// assign puts the prologue before the lines, and returns a register for each variable. A variable keeps its register
// from the first line that uses the variable to the last or, if it is set before a loop and used in the loop, at
// least to the end of the loop. assign panics if the registers do not suffice.
func (f *armFunction) assign() []int {
	f.lines = append(f.prologue, f.lines...)
	for i := range f.loops {
		f.loops[i][0] += len(f.prologue)
		f.loops[i][1] += len(f.prologue)
	}
	first, last := make([]int, len(f.isVector)), make([]int, len(f.isVector))
	for i := range first {
		first[i] = -1
	}
	for i, l := range f.lines {
		for _, v := range l.variables() {
			if last[v] = i; first[v] < 0 {
				first[v] = i
			}
		}
	}
	for _, loop := range f.loops { // inner loops come first
		for v := range first {
			if first[v] >= 0 && first[v] < loop[0] && last[v] >= loop[0] {
				last[v] = max(last[v], loop[1]-1)
			}
		}
	}
	// R18 and R26 to R31 have other purposes.
	free := map[bool][]int{}
	for r := range 32 {
		if free[true] = append(free[true], r); r < 26 && r != 18 {
			free[false] = append(free[false], r)
		}
	}
	registers := make([]int, len(first))
	for i := range f.lines {
		for v := range first {
			if first[v] == i {
				list := free[f.isVector[v]]
				if len(list) == 0 {
					panic(f.name + ": too few registers")
				}
				registers[v], free[f.isVector[v]] = list[0], list[1:]
			}
		}
		for v := range first {
			if first[v] >= 0 && last[v] == i {
				free[f.isVector[v]] = append([]int{registers[v]}, free[f.isVector[v]]...)
			}
		}
	}
	return registers
}

// text returns the function in Go's assembly. An instruction that the assembler does not know becomes a word, with
// its mnemonic and registers in a comment.
func (f *armFunction) text() string {
	registers := f.assign()
	var b strings.Builder
	fmt.Fprintf(&b, "\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", f.name, f.size)
	for _, l := range f.lines {
		if l.mnemonic == "" {
			indent := "\t"
			if strings.HasSuffix(l.text, ":") {
				indent = ""
			}
			b.WriteString(indent + armVariable.ReplaceAllStringFunc(l.text, func(s string) string {
				n, _ := strconv.Atoi(s[1 : len(s)-1])
				return fmt.Sprintf("R%d", registers[n])
			}) + "\n")
			continue
		}
		code, names := l.code, []string(nil)
		for _, o := range l.registers {
			code |= uint32(registers[o.variable]) << o.shift
			kind := "R"
			if f.isVector[o.variable] {
				kind = "V"
			}
			names = append(names, fmt.Sprintf("%s%d", kind, registers[o.variable]))
		}
		fmt.Fprintf(&b, "\tWORD $%#08x // %s %s\n", code, l.mnemonic, strings.Join(names, ", "))
	}
	b.WriteString("\tRET\n")
	return b.String()
}

// assembleArm writes the assembly for arm64 of all operations that have the field arm.
func assembleArm(file string, ops []operation) error {
	var b strings.Builder
	b.WriteString("// Code generated by go run main.go in gen. DO NOT EDIT.\n\n//go:build !purego\n\n" +
		"#include \"textflag.h\"\n")
	i := slices.IndexFunc(tiers, func(t tier) bool { return t.name == NEON })
	for _, op := range ops {
		if op.arm == nil {
			continue
		}
		f, err := newArmFunction(op)
		if err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
		labels = 0
		op.arm(&code{tier: tiers[i], arm: f})
		b.WriteString(f.text())
	}
	return os.WriteFile(file, []byte(b.String()), 0o666)
}
