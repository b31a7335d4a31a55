package upscale

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// book is a comic: an archive of pages, which becomes an archive again. The pages are unpacked to a work folder beside
// the result and enlarged like a folder. close removes the work folder.
type book struct {
	path, out string
	work      string // the work folder, which holds the folders pages and results
	remove    func() // removes the work folder
	info      fs.FileInfo
	file      *os.File
	archive   *zip.Reader // nil: another program unpacked the archive
	names     []string    // paths, with slashes, of all entries of archive or, if that is nil, of the unpacked files
}

// mostOfBook returns how many bytes the files from an archive of size bytes may have. Pictures, compressed, need fewer.
func mostOfBook(size int64) int64 { return 1<<30 + 100*size }

// openBook unpacks the only input if it is a comic, or a document that is to become a comic, and changes opt so that
// the pages become the inputs. It returns nil if no input is one, and fails if others come too. done says that the
// result exists and stays. The caller closes b, unless it is nil, even after an error.
func openBook(ctx context.Context, opt *Options, programs *decoders.Set, note func(string)) (b *book, done bool,
	err error) {
	i := slices.IndexFunc(opt.Inputs, func(name string) bool { return pictures.IsBook(name, opt.Naming.Out) })
	if i < 0 {
		return nil, false, nil
	}
	b = &book{path: opt.Inputs[i]}
	switch {
	case len(opt.Inputs) > 1:
		return nil, false, console.Usage("%s is a comic, which is enlarged alone; give each a call of its own", b.path)
	case opt.Part.Of > 1 || opt.mapFile != "":
		return nil, false, console.Usage("%s is a comic, which takes neither --shard nor --map", b.path)
	}
	namer, err := pictures.NewNamer(opt.Naming, true)
	if err != nil {
		return nil, false, err
	}
	out, err := namer.Output(pictures.Input{Path: b.path, Place: filepath.Base(b.path), Format: pictures.Book})
	if err != nil {
		return nil, false, err
	}
	size := int64(0)
	if b.file, size, err = safefile.OpenRegular(b.path); err != nil {
		return nil, false, err
	}
	if b.info, err = b.file.Stat(); err != nil {
		return nil, false, safefile.Unreadable(b.path, err)
	}
	b.out, b.work = out.Path, out.Path+".pages"
	if there, err := os.Lstat(b.out); err == nil && !opt.DryRun {
		switch {
		case os.SameFile(there, b.info):
			return b, false, console.Failf(console.ExitOutput, "%s: the output is the input; use another -o", b.path)
		case opt.OnExist == "skip" || opt.OnExist == "fail" && opt.Resume:
			note(b.out + " is there already; --on-exist overwrite makes it again")
			return b, true, nil
		case opt.OnExist == "fail":
			return b, false, console.Failf(console.ExitOutput, "%s exists; use --on-exist skip or overwrite, or "+
				"another -o", b.out)
		}
	}
	if opt.DryRun {
		b.work, b.remove, err = safefile.TempFolder()
	} else if err = os.MkdirAll(filepath.Dir(b.work), 0o777); err == nil {
		if err = os.Mkdir(b.work, 0o777); errors.Is(err, fs.ErrExist) {
			err = nil
			if !opt.Resume {
				return b, false, console.Failf(console.ExitOutput, "%s is left by a call that was interrupted; "+
					"--resume goes on with it, or remove it", b.work)
			}
		}
		b.remove = func() { _ = os.RemoveAll(b.work) }
	}
	if err != nil {
		return b, false, safefile.Unwritable(b.work, err)
	}
	opt.Inputs, opt.Naming.Out, opt.Recursive = []string{b.folder("pages")}, b.folder("results"), true
	if !slices.Contains(opt.said, "name") { // results are named like the pages
		opt.Naming.Template = "{stem}"
	}
	return b, false, b.unpack(ctx, programs, size, note)
}

func (b *book) folder(name string) string { return filepath.Join(b.work, name) }

// close closes the archive, and removes the work folder unless keep is true.
func (b *book) close(keep bool) {
	if b.file != nil {
		b.file.Close()
	}
	if b.remove != nil && !keep {
		b.remove()
	}
}

// unpack writes the files of the archive, which has size bytes, into the folder pages, and sets b.names. A zip it reads
// itself: it refuses unsafe names, names repeated in any case, and more than mostOfBook bytes in all, and tells note of
// files that it can unpack only in part. Other archives, such as RAR, another program unpacks.
func (b *book) unpack(ctx context.Context, programs *decoders.Set, size int64, note func(string)) (err error) {
	if _, kind, _ := imagefile.IdentifyAt(b.file, ""); kind.Title != "" { // no zip
		return programs.Unpack(ctx, b.path, kind.Title, func(dir string) error {
			_ = os.RemoveAll(b.folder("pages"))
			if err := os.CopyFS(b.folder("pages"), os.DirFS(dir)); err != nil {
				return safefile.Unwritable(b.folder("pages"), err)
			}
			return fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() {
					b.names = append(b.names, name)
				}
				return err
			})
		})
	}
	if b.archive, err = safefile.OpenZip(b.file, size); err != nil {
		return safefile.Refuse(safefile.ErrInput, b.path, "is no archive that can be read: %v", err)
	}
	left, seen := mostOfBook(size), map[string]bool{}
	for _, f := range b.archive.File {
		b.names = append(b.names, f.Name)
		if !f.Mode().IsRegular() {
			continue
		}
		key := strings.ToLower(f.Name)
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || strings.Contains(f.Name, `\`) || seen[key] {
			return safefile.Refuse(safefile.ErrInput, b.path,
				"has a file with a name that is unsafe or there twice: %q", f.Name)
		}
		seen[key] = true
		n, err := b.extract(ctx, f, left)
		var fault *safefile.Fault
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &fault):
			return err
		case err != nil:
			note(fmt.Sprintf("%s: %s cannot be unpacked as a whole: %v", b.path, f.Name, err))
		}
		if left -= n; left < 0 {
			return safefile.Refuse(safefile.ErrLimit, b.path, "unpacks to more than 100 times its size")
		}
	}
	return nil
}

// extract writes file f of the archive into the folder pages, and returns how many bytes it wrote: at most one more
// than left, by which the caller sees an excess, and than imagefile.MaxBytes, since larger pages are refused later.
func (b *book) extract(ctx context.Context, f *zip.File, left int64) (n int64, err error) {
	const encrypted = 1
	if f.Flags&encrypted > 0 {
		return 0, safefile.Refuse(safefile.ErrInput, b.path, "is encrypted; unpack it, and pack it without a password")
	}
	name := filepath.Join(b.folder("pages"), filepath.FromSlash(f.Name))
	if err = os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return 0, safefile.Unwritable(name, err)
	}
	to, err := os.Create(name)
	if err != nil {
		return 0, safefile.Unwritable(name, err)
	}
	from, err := f.Open()
	if err == nil {
		n, err = io.Copy(safefile.Interruptible(ctx, to), io.LimitReader(from, min(left, imagefile.MaxBytes)+1))
		from.Close()
	}
	if closed := to.Close(); closed != nil {
		return n, safefile.Unwritable(name, closed)
	}
	return n, err
}

// bind writes the resulting archive to b.out: the files of the original archive in the same order, each page replaced
// by its result if there is one. A result lies in the folder of its page, under the file name of the result.
func (b *book) bind(batch *batch, opt Options) error {
	results := map[string]string{} // path of the result of each page, by the name of the page in the archive
	for i := range batch.inputs {
		j := batch.job(i)
		if info, err := os.Lstat(j.output); err == nil && info.Mode().IsRegular() {
			results[filepath.ToSlash(j.Place)] = j.output
		}
	}
	from := safefile.Origin{Info: b.info, KeepDates: opt.KeepDates}
	return safefile.WriteAtomicFrom(from, b.out, opt.OnExist == "overwrite", func(w io.Writer) error {
		z := zip.NewWriter(w)
		if b.archive != nil {
			if err := z.SetComment(b.archive.Comment); err != nil {
				return err
			}
		}
		for i, name := range b.names {
			head := zip.FileHeader{Name: name, Modified: b.info.ModTime()}
			if b.archive != nil {
				f := b.archive.File[i]
				head.Modified, head.NonUTF8, head.Comment = f.Modified, f.NonUTF8, f.Comment
				if results[name] == "" {
					if err := z.Copy(f); err != nil { // the compressed bytes
						return err
					}
					continue
				}
			}
			file := results[name]
			if file == "" {
				file = filepath.Join(b.folder("pages"), filepath.FromSlash(name))
			} else {
				head.Name = path.Join(path.Dir(name), filepath.Base(file))
			}
			if err := store(z, &head, file); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// store adds the file called name to z, with the header head, uncompressed, since pictures are compressed already.
func store(z *zip.Writer, head *zip.FileHeader, name string) error {
	f, _, err := safefile.OpenRegular(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := z.CreateHeader(head)
	if err == nil {
		_, err = io.Copy(w, f)
	}
	return err
}
