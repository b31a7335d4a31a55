package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strings"
)

// signature holds the parts of an operation's signature, as Go text.
type signature struct {
	operands string // the arguments in a call of the definition
	assembly string // the signature of the assembly
	returns  string // "return " if there are results

	parameters []parameter // of the assembly
}

// parameter is a parameter of the assembly, with the argument in a call.
type parameter struct {
	name, argument       string
	isPointer, isFloat32 bool
}

// parse returns the parts of the operation's signature. In the assembly, a slice is a pointer and, if listed in
// op.lengths, a length; other parameters stay as they are.
func (op operation) parse() (s signature, err error) {
	expr, err := parser.ParseExpr("func" + op.signature)
	if err != nil {
		return s, err
	}
	f, ok := expr.(*ast.FuncType)
	if !ok {
		return s, fmt.Errorf("%q is no signature", op.signature)
	}
	var operands, parameters, sliceNames []string
	for _, field := range f.Params.List {
		for _, name := range field.Names {
			operands = append(operands, name.Name)
			slice, ok := field.Type.(*ast.ArrayType)
			if !ok {
				parameters = append(parameters, name.Name+" "+types.ExprString(field.Type))
				is := types.ExprString(field.Type) == "float32"
				s.parameters = append(s.parameters, parameter{name: name.Name, argument: name.Name, isFloat32: is})
				continue
			}
			sliceNames = append(sliceNames, name.Name)
			parameters = append(parameters, name.Name+" *"+types.ExprString(slice.Elt))
			start := "unsafe.SliceData(" + name.Name + ")"
			s.parameters = append(s.parameters, parameter{name: name.Name, argument: start, isPointer: true})
			if slices.Contains(op.lengths, name.Name) {
				length := lengthName(name.Name)
				parameters = append(parameters, length+" int")
				s.parameters = append(s.parameters, parameter{name: length, argument: "len(" + name.Name + ")"})
			}
		}
	}
	for _, name := range op.lengths {
		if !slices.Contains(sliceNames, name) {
			return s, fmt.Errorf("no slice %s in %s, for its length", name, op.signature)
		}
	}
	s.operands = strings.Join(operands, ", ")
	s.assembly = "(" + strings.Join(parameters, ", ") + ")"
	if f.Results != nil {
		s.returns = "return "
		s.assembly += " " + results(f.Results)
	}
	return s, nil
}

// results returns a list of results as Go text, in parentheses.
func results(list *ast.FieldList) string {
	var all []string
	for _, field := range list.List {
		kind := types.ExprString(field.Type)
		for _, name := range field.Names {
			all = append(all, name.Name+" "+kind)
		}
		if len(field.Names) == 0 {
			all = append(all, kind)
		}
	}
	return "(" + strings.Join(all, ", ") + ")"
}
