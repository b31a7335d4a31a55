package rules

import (
	"go/ast"
	"path"
	"slices"
)

// revealing lists the exported declarations of a package that have a type of an internal package: in
// the signature of a function or method, a field, an embedded type, the type of a variable or what a
// type is made of. A package of another module could neither name such a type nor make a value of it.
func revealing(p *pkg) (found []string) {
	for name, file := range p.files {
		for _, decl := range file.Decls {
			for _, use := range exportedTypes(decl) {
				ast.Inspect(use.expr, func(n ast.Node) bool {
					s, ok := n.(*ast.SelectorExpr)
					if !ok {
						return true
					}
					if x, ok := s.X.(*ast.Ident); ok && within("./internal")(p.names[name][x.Name]) {
						uses := path.Base(p.names[name][x.Name]) + "." + s.Sel.Name
						found = append(found,
							"exported signatures have no internal types: "+name+" has "+uses+" in "+use.of)
					}
					return false
				})
			}
		}
	}
	return found
}

// typeUse is a type that readers of an exported name see.
type typeUse struct {
	of   string
	expr ast.Node
}

// exportedTypes lists the types that the exported names of a declaration show.
func exportedTypes(decl ast.Decl) (list []typeUse) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || isExportedType(d.Recv.List[0].Type)) {
			list = append(list, typeUse{d.Name.Name, d.Type})
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				if s.Type != nil && slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
					list = append(list, typeUse{s.Names[0].Name, s.Type})
				}
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					list = append(list, shownParts(s.Name.Name, s.Type)...)
				}
			}
		}
	}
	return list
}

// shownParts lists the types that a type shows: of a struct its exported fields' types, of an interface its exported
// methods', and of any other all.
func shownParts(of string, t ast.Expr) (list []typeUse) {
	var fields *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return []typeUse{{of, t}}
	}
	for _, f := range fields.List {
		if len(f.Names) == 0 && isExportedType(f.Type) {
			list = append(list, typeUse{of, f.Type})
		}
		for _, name := range f.Names {
			if name.IsExported() {
				list = append(list, typeUse{of + "." + name.Name, f.Type})
			}
		}
	}
	return list
}

// isExportedType reports whether the name of a receiver's or an embedded type is exported.
func isExportedType(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.StarExpr:
		return isExportedType(t.X)
	case *ast.IndexExpr:
		return isExportedType(t.X)
	case *ast.IndexListExpr:
		return isExportedType(t.X)
	case *ast.SelectorExpr:
		return t.Sel.IsExported()
	case *ast.Ident:
		return t.IsExported()
	}
	return false
}
