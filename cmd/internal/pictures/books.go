package pictures

import (
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
)

// Book is the format of comics: archives of pages, which the command upscale reads and writes.
const Book imagefile.Format = "cbz"

const bookExt = ".cbz"

// IsBook reports whether the file called name is a comic, or a PDF to write as a comic because output ends in .cbz.
func IsBook(name, output string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return slices.Contains([]string{bookExt, ".cbr", ".zip"}, ext) && !paths.IsFolder(name) ||
		ext == ".pdf" && strings.EqualFold(filepath.Ext(output), bookExt)
}

// book returns the Output for an input that is a comic. It fails if -o is standard output or another kind of file.
func (n Namer) book(in Input) (Output, error) {
	switch asFile := n.asFile(); {
	case paths.IsStandard(n.out):
		return Output{}, console.Usage("%s: a comic goes to a file, not to standard output; use -o NAME%s", in.Path,
			bookExt)
	case asFile && !strings.EqualFold(filepath.Ext(n.out), bookExt):
		return Output{}, console.Usage("-o %s: a comic is written as %s; use -o NAME%[2]s, or a folder", n.out, bookExt)
	case asFile:
		return n.outputFile(Book), nil
	}
	return n.outputIn(in, n.base(in, filepath.Ext(in.Place))+bookExt, bookExt, Book)
}
