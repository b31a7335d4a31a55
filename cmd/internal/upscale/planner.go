package upscale

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/safefile"
)

// planner is the state of newBatch while it builds the batch.
//
// Note: there may be millions of pictures that are already done. So the planner keeps only a few bytes for each, and
// computes the names of their outputs again whenever they are needed.
type planner struct {
	batch
	opt     Options
	past    resumption
	places  paths.Folders
	targets map[string]bool     // folders that outputs go to, by their paths without symbolic links
	sources map[paths.Key]int32 // index of each input that lies in a target, by the real path of the input
	seen    map[paths.Key]int32 // index of each input, by the real path of its output
	clashes []error             // errors about inputs that share an output, and outputs that are inputs
	exist   []error             // errors about outputs that exist already
}

// newBatch finds the inputs, names the outputs, and returns the plan for one call, before any picture is enlarged.
// Inputs that share an output and outputs that exist become problems of the batch. json says that --json is given.
func newBatch(ctx context.Context, e *session, json bool) (batch, error) {
	opt, past := e.opt, e.past
	if len(opt.Inputs) == 0 {
		return batch{}, console.Usage("no input: name files, folders or - for standard input; " +
			"superres upscale --help shows examples")
	}
	var videos []pictures.Input
	list, others, err := e.findInputs(&videos)
	if err != nil {
		return batch{}, err
	}
	list, results, err := opt.leaveResults(list)
	if err != nil {
		return batch{}, err
	}
	if err := e.measure(ctx, list); err != nil {
		return batch{}, err
	}
	single := len(opt.Inputs) == 1 && len(list) == 1 && list[0].Root == ""
	p := planner{opt: opt, past: past, targets: map[string]bool{}, sources: map[paths.Key]int32{},
		seen: map[paths.Key]int32{}}
	p.results, p.most = results, safefile.AnyMode
	for _, in := range videos {
		if opt.Part.Has(in.Place) {
			p.videos = append(p.videos, in)
		}
	}
	if p.names, err = pictures.NewNamer(opt.Naming, single); err != nil {
		return batch{}, err
	}
	if err := p.nameAll(list, single, json); err != nil {
		return batch{}, err
	}
	p.findSources()
	const at = 256 // number of pictures that one task examines
	n := len(p.inputs)
	err = parallel.Ordered((n+at-1)/at, func(k int) (list []finding) {
		for i := k * at; i < min(n, (k+1)*at); i++ {
			list = append(list, p.examine(i))
		}
		return list
	}, func(list []finding) error {
		for _, l := range list {
			if l.err != nil {
				return l.err
			}
			p.take(l)
		}
		return nil
	})
	for _, o := range others {
		if opt.Part.Has(o.Place) {
			p.others = append(p.others, o)
		}
	}
	p.problems = append(p.clashes, p.exist...)
	return p.batch, err
}

// findInputs returns in list the pictures that the arguments name, for all parts of --shard, and in others the files of
// unreadable kinds. It adds the videos found in folders to videos. It fails if no picture is found.
func (e *session) findInputs(videos *[]pictures.Input) (list []pictures.Input, others []pictures.Other, err error) {
	opt := e.opt
	find := pictures.Finder{Recursive: opt.Recursive, Filter: opt.Filter, Videos: videos, Reads: e.others.Reads}
	if out := opt.Naming.Out; out != "" && !paths.IsStandard(out) {
		find.Avoid = paths.Real(out)
	}
	for _, name := range opt.Inputs {
		inputs, more, err := find.Expand(name)
		if err != nil {
			return nil, nil, err
		}
		others = append(others, more...)
		if list = append(list, inputs...); len(opt.Inputs) == 1 {
			list = inputs // drops the copy, as there may be millions
		}
	}
	pictures.MarkContainers(list)
	if opt.Video { // the only input is a stream of frames
		list[0].Format = pictures.Video
	} else if !opt.Keep.FirstFrame {
		pictures.MarkSeveral(list, opt.Naming.WantsGIF())
	}
	if len(list) == 0 {
		return nil, nil, console.Failf(console.ExitInput, "no picture is left to work on; check --include and "+
			"--exclude")
	}
	return list, others, nil
}

// measure reads the header of each picture in list, sets the size of its result, for the name, and sets Large if the
// picture has it already, but not with --already-large fail. It does nothing if a scale was given. It fails if ctx
// ends.
func (e *session) measure(ctx context.Context, list []pictures.Input) error {
	if e.opt.Size.Scale != 0 {
		return nil
	}
	const grain = 16 // files that a worker reads before it takes the next ones
	return parallel.For(ctx, len(list), grain, func() func(lo, hi int) {
		return func(lo, hi int) {
			for i := range list[lo:hi] {
				if in := &list[lo+i]; !paths.IsStandard(in.Path) {
					size, isLarge := e.ResultSize(ctx, e.source(in.Path))
					in.SetSize(size)
					in.Large = isLarge && e.opt.AlreadyLarge != "fail"
				}
			}
		}
	})
}

// nameAll sets p.inputs to list, without pictures that the journal records as outputs, which are found if a folder is
// enlarged into itself. It names the outputs, gives different names to inputs such as a.jpg and a.png, notes the
// folders of outputs in p.targets, and checks each input. It fails if a check fails or no input is left.
func (p *planner) nameAll(list []pictures.Input, single, json bool) error {
	first, named := list[0], map[paths.Key]int{} // named: index of the last input of each output
	p.inputs = list[:0]                          // in the memory of list
	for _, in := range list {
		out, err := p.names.Output(in)
		if err != nil {
			return err
		}
		if err := p.opt.check(in, out, single, json); err != nil {
			return err
		}
		is, err := p.past.IsResult(out.Root, in.Path)
		if err != nil {
			return err
		}
		if is {
			continue
		}
		p.inputs = append(p.inputs, in)
		if paths.IsStandard(out.Path) {
			continue
		}
		p.targets[p.places.Real(filepath.Dir(out.Path))] = true
		key, now := paths.KeyOf(out.Path), len(p.inputs)-1
		if before, twice := named[key]; twice {
			p.tellApart(before, now)
		}
		named[key] = now
	}
	p.fates = make([]fate, len(p.inputs))
	if len(p.inputs) == 0 {
		return console.Failf(console.ExitInput, "%s: is a result, by the journal beside it; to enlarge it once more, "+
			"leave out --resume", first.Path)
	}
	return nil
}

// tellApart makes the output names of inputs a and b differ. If the inputs have different file names, such as a.jpg and
// a.png, both outputs are named after the whole file name, with its extension. Otherwise it changes nothing.
func (p *planner) tellApart(a, b int) {
	if one, two := &p.inputs[a], &p.inputs[b]; filepath.Base(one.Place) != filepath.Base(two.Place) {
		one.Whole, two.Whole = true, true
	}
}

// originalExt is appended to the name of the original photo, which --replace keeps.
const originalExt = ".orig"

// findSources adds to p.sources the inputs that lie in folders that outputs go to: only these can be overwritten.
func (p *planner) findSources() {
	for i, in := range p.inputs {
		if paths.IsStandard(in.Path) {
			continue
		}
		place := p.places.Place(in.Path)
		if in.Link { // the file to which the link leads counts
			place = paths.Real(in.Path)
		}
		if p.targets[filepath.Dir(place)] {
			p.sources[paths.KeyOf(place)] = int32(i)
		}
	}
}

// finding is what the file system and the journal say about a picture.
type finding struct {
	job
	number  int         // index in planner.inputs
	place   paths.Key   // real path of the output
	mine    bool        // the picture belongs to this part; false: its files were not examined
	missing bool        // the input file does not exist
	there   bool        // a file with the name of the output exists and is no earlier result
	itself  bool        // the output and the input are the same file
	mode    fs.FileMode // permissions of the input file
	err     error
}

// examine returns what the file system and the journal say about picture i. Of a picture of another part, and of one
// that goes to standard output, it looks at no file. l.there says that the output exists and is no result of ours or,
// with --replace, that an earlier call kept the original. Several goroutines may call examine at once.
func (p *planner) examine(i int) (l finding) {
	l.job, l.number, l.mode = p.job(i), i, safefile.AnyMode
	l.mine = p.opt.Part.Has(l.Place)
	if l.piped() {
		return l
	}
	if l.place = paths.KeyOf(p.places.Place(l.output)); !l.mine {
		return l
	}
	source, err := os.Stat(l.Path)
	if err != nil {
		source, l.missing = nil, errors.Is(err, fs.ErrNotExist) && !l.fromStandard()
	} else {
		l.bytes, l.mode = source.Size(), safefile.ModeOfInfo(source)
	}
	there, err := os.Lstat(l.output)
	if err != nil {
		there = nil
	}
	l.settings = p.past.settings[l.format]
	done, ours, err := p.past.Judge(l.file(), source, there)
	if l.replace = ours; done {
		l.reason = "done"
	}
	l.err, l.there = err, there != nil && !ours
	if there != nil && there.Mode()&fs.ModeSymlink != 0 { // l.itself is about the file to which a link leads
		there, _ = os.Stat(l.output)
	}
	if p.opt.Naming.Replace {
		orig, err := os.Lstat(l.output + originalExt)
		l.there = err == nil && !os.SameFile(orig, source)
		return l
	}
	l.itself = source != nil && there != nil && os.SameFile(source, there)
	return l
}

// take adds the picture of l to the jobs or the problems, or counts it in p.left as skipped, with the reason in
// p.fates. It leaves in p.most only permissions that all inputs have. It is called for all pictures in order.
func (p *planner) take(l finding) {
	if !l.piped() {
		p.clash(l)
	}
	if !l.mine {
		return
	}
	p.count(l.job)
	p.most &= l.mode
	switch {
	case l.Large && (p.opt.AlreadyLarge == "skip" || p.opt.Naming.Replace):
		p.fates[l.number] = large
		p.left++
	case l.reason != "":
		p.fates[l.number] = done
		p.left++
	case l.itself: // clash has added the problem
	case l.there && p.opt.OnExist == "skip":
		p.fates[l.number] = exists
		p.left++
	case l.there && p.opt.OnExist == "fail":
		// If the input cannot be read either, that is the problem to report.
		var problem error
		if !p.opt.Video && l.Format == "" {
			problem = imagefile.Check(l.Path)
		}
		if problem == nil && p.opt.Naming.Replace {
			problem = console.Failf(console.ExitOutput, "%s%s exists: the photo was replaced before; move it", l.output,
				originalExt)
		}
		if problem == nil {
			problem = console.Failf(console.ExitOutput, "%s exists; use --on-exist skip or overwrite, or another -o",
				l.output)
		}
		p.exist = append(p.exist, problem)
	default:
		p.jobs = append(p.jobs, l.job)
		if !l.missing { // if it is missing, no folder is made for its output
			p.working.add(l.root)
		}
	}
}

// clash adds an error to p.clashes if an earlier input has l's output or, without --replace, if the output is an input.
func (p *planner) clash(l finding) {
	problem := func(format string, args ...any) {
		p.clashes = append(p.clashes, console.Failf(console.ExitOutput, format, args...))
	}
	other, twice := p.seen[l.place]
	p.seen[l.place] = int32(l.number)
	in, is := p.sources[l.place]
	switch {
	case twice:
		problem("%s and %s both make %s; use --name '{stem}{ext}_{size}', or a folder for each", p.inputs[other].Path,
			l.Path, l.output)
	case p.opt.Naming.Replace:
	case is && p.inputs[in].Path != l.Path:
		problem("%s: its output %s is an input as well; use another -o or --name", l.Path, l.output)
	case is || l.itself:
		problem("%s: the output is the input; use another -o or --name", l.Path)
	}
}
