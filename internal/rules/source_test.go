package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pkg is a folder of Go files, of all systems together.
type pkg struct {
	imports     []string
	testImports []string
	files       map[string]*ast.File         // without tests
	names       map[string]map[string]string // for each file the import paths by their names in it
}

// load parses the module in dir, with import paths that begin with module. What the go command leaves out of "./..." is
// left out: dot-folders, testdata, nested modules. So are programs run by hand, marked "//go:build ignore".
func load(dir, module string) (map[string]*pkg, error) {
	pkgs := make(map[string]*pkg)
	fset := token.NewFileSet()
	return pkgs, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if err == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") ||
				strings.HasPrefix(d.Name(), "_") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || byHand(file) {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		p := pkgs["./"+path.Dir(rel)]
		if p == nil {
			p = &pkg{files: make(map[string]*ast.File), names: make(map[string]map[string]string)}
			pkgs["./"+path.Dir(rel)] = p
		}
		var imports []string
		for _, i := range file.Imports {
			imports = append(imports, local(importPath(i), module))
		}
		if strings.HasSuffix(rel, "_test.go") {
			p.testImports = append(p.testImports, imports...)
			return nil
		}
		p.imports = append(p.imports, imports...)
		p.files[rel], p.names[rel] = file, importNames(file, module)
		return nil
	})
}

func byHand(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() < file.Package && c.Text == "//go:build ignore" {
				return true
			}
		}
	}
	return false
}

func importPath(i *ast.ImportSpec) string {
	p, _ := strconv.Unquote(i.Path.Value) // the parser has checked it
	return p
}

// local rewrites an import path of the module as "./…".
func local(p, module string) string {
	if rest, ok := strings.CutPrefix(p, module+"/"); ok {
		return "./" + rest
	}
	return p
}

// importNames returns the import paths of a file by the names that the file has for them.
func importNames(file *ast.File, module string) map[string]string {
	names := make(map[string]string)
	for _, i := range file.Imports {
		p := local(importPath(i), module)
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = p
	}
	return names
}

// outputs are the names by which a library would print or end the program.
var outputs = map[string]func(name string) bool{
	"os":  func(name string) bool { return name == "Stdout" || name == "Stderr" || name == "Exit" },
	"fmt": func(name string) bool { return strings.HasPrefix(name, "Print") },
	"log": func(string) bool { return true },
}

// uses lists the names of packages in a table that a file uses, under whatever name it imports the packages.
func uses(file *ast.File, table map[string]func(name string) bool) (found []string) {
	imported := importNames(file, "")
	if p := imported["."]; table[p] != nil {
		found = append(found, "import . "+strconv.Quote(p))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if n, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := n.X.(*ast.Ident); ok {
				p := imported[x.Name]
				if isListed := table[p]; isListed != nil && isListed(n.Sel.Name) {
					found = append(found, p+"."+n.Sel.Name)
				}
			}
		}
		return true
	})
	return found
}

// printing lists the uses of outputs in a file, and of the built-in print and println.
func printing(file *ast.File) []string {
	found := uses(file, outputs)
	ast.Inspect(file, func(n ast.Node) bool {
		if n, ok := n.(*ast.CallExpr); ok {
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				found = append(found, f.Name)
			}
		}
		return true
	})
	return found
}

// inexact are the functions of package math with last bits that depend on the processor: some are assembly, some are
// compiled to fused products, some differ with FMA. Others, such as Sqrt and Floor, are exact.
var inexact = map[string]func(name string) bool{"math": func(name string) bool {
	return slices.Contains([]string{
		"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cbrt", "Cos", "Cosh", "Erf", "Erfc", "Erfcinv",
		"Erfinv", "Exp", "Exp2", "Expm1", "Gamma", "Hypot", "J0", "J1", "Jn", "Lgamma", "Log", "Log10", "Log1p", "Log2",
		"Pow", "Sin", "Sincos", "Sinh", "Tan", "Tanh", "Y0", "Y1", "Yn"}, name)
}}

// flagPattern matches what users would take for a flag of the program in the text of a
// message: a word after two dashes, or the letter in "use -o".
var flagPattern = regexp.MustCompile(`(?:^|[^-\w])(--[a-z][a-z-]*)|\b(?:use|with) (-[a-z])\b`)

// flags lists the flags that the string literals of a file name.
func flags(file *ast.File) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value) // the parser has checked it
			for _, m := range flagPattern.FindAllStringSubmatch(text, -1) {
				found = append(found, m[1]+m[2])
			}
		}
		return true
	})
	return found
}

// unchecked lists the expressions in a file of a reader that take memory for pixels by numbers that nobody need have
// checked: a picture of package image with a rectangle that is not the Bounds of a Size or of another picture, a Size
// made by hand, and a slice with a product of two numbers as its length, unless one is a constant. constants has the
// names of the package's constants.
func unchecked(file *ast.File, constants map[string]bool) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if name, ok := n.Type.(*ast.Ident); ok && name.Name == "Size" && len(n.Elts) > 0 {
				found = append(found, "Size{…}")
			}
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.SelectorExpr:
				pkg, ok := f.X.(*ast.Ident)
				isNew := ok && (pkg.Name == "image" || pkg.Name == "picture") && strings.HasPrefix(f.Sel.Name, "New")
				if isNew && !slices.ContainsFunc(n.Args, isBounds) {
					found = append(found, pkg.Name+"."+f.Sel.Name)
				}
			case *ast.Ident:
				product := func(length ast.Expr) bool { return hasProduct(length, constants) }
				if f.Name == "make" && slices.ContainsFunc(n.Args[1:], product) {
					found = append(found, "make")
				}
			}
		}
		return true
	})
	return found
}

// isBounds reports whether an expression is a call of a method Bounds.
func isBounds(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Bounds" && len(call.Args) == 0
}

// hasProduct reports whether an expression multiplies two numbers that are no constants.
func hasProduct(e ast.Expr, constants map[string]bool) (has bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && b.Op == token.MUL {
			has = has || !isConstant(b.X, constants) && !isConstant(b.Y, constants)
		}
		return !has
	})
	return has
}

// isConstant reports whether an expression has literals and names of constants alone.
func isConstant(e ast.Expr, constants map[string]bool) bool {
	is := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			is = is && constants[n.Name]
		case *ast.CallExpr, *ast.SelectorExpr:
			is = false
		}
		return is
	})
	return is
}

// constantsOf are the names of all constants that some files declare.
func constantsOf(files map[string]*ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
				for _, spec := range d.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						names[name.Name] = true
					}
				}
			}
			return true
		})
	}
	return names
}
