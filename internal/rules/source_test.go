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
	"strconv"
	"strings"
)

// pkg is a folder of Go files, those of all systems together.
type pkg struct {
	imports     []string
	testImports []string
	files       map[string]*ast.File // without tests
}

// load parses the module in dir, whose import paths begin with module. What the
// go command leaves out of "./..." is left out: dot-folders, testdata, nested
// modules. So are programs run by hand, marked "//go:build ignore".
func load(dir, module string) (map[string]*pkg, error) {
	pkgs := make(map[string]*pkg)
	fset := token.NewFileSet()
	return pkgs, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if err == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") {
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
			p = &pkg{files: make(map[string]*ast.File)}
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
		p.files[rel] = file
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

// outputs are the names by which a library would print or end the program.
var outputs = map[string]func(name string) bool{
	"os":  func(name string) bool { return name == "Stdout" || name == "Stderr" || name == "Exit" },
	"fmt": func(name string) bool { return strings.HasPrefix(name, "Print") },
	"log": func(string) bool { return true },
}

// printing lists the uses of outputs in a file, under whatever name it imports
// the packages, and of the built-in print and println.
func printing(file *ast.File) (found []string) {
	imported := make(map[string]string) // name in this file → path
	for _, i := range file.Imports {
		p := importPath(i)
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		if name == "." && outputs[p] != nil {
			found = append(found, "import . "+i.Path.Value)
		}
		imported[name] = p
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			p := imported[x.Name]
			if isOutput := outputs[p]; isOutput != nil && isOutput(n.Sel.Name) {
				found = append(found, p+"."+n.Sel.Name)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				found = append(found, f.Name)
			}
		}
		return true
	})
	return found
}

// flag matches what users would take for a flag of the program in the text of a
// message: a word after two dashes, or the letter in "use -o".
var flag = regexp.MustCompile(`(?:^|[^-\w])(--[a-z][a-z-]*)|\b(?:use|with) (-[a-z])\b`)

// flags lists the flags that the string literals of a file name.
func flags(file *ast.File) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value) // the parser has checked it
			for _, m := range flag.FindAllStringSubmatch(text, -1) {
				found = append(found, m[1]+m[2])
			}
		}
		return true
	})
	return found
}
