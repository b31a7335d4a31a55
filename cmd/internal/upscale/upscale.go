package upscale

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/superres"
)

func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "upscale", Usage: "enlarge picture files", ArgsUsage: "[FLAGS] IN...",
		Description: `   superres upscale photo.jpg                      writes photo_2x.jpg beside it
   superres upscale -s 3 photo.png -o large.png    any scale from 1 to 16
   superres upscale --fit 3840x2160 photo.png      the largest that a screen holds
   superres upscale -o large/ photos/ more/*.png   folders and files into one folder
   superres upscale -r --resume -o large/ photos/  goes on where it was interrupted
   superres upscale --dry-run -r photos/           what would be made, and nothing else
   superres upscale - < in.png > out.png           a pipe
   superres upscale --effort fast photos/          in a third of the time
   superres upscale -m bicubic photo.jpg           plain interpolation, for comparison`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `PATH`: a file, a folder, or - for standard output"},
			&cli.StringFlag{Name: "name", Value: "{stem}_{size}{ext}", Usage: "`TEMPLATE` of output names, of {stem}, {size} (2x, 800w, 600h or 800x600), {scale} (2) and {model}; {ext} is the extension of the output at the end, which is added where it is missing, and elsewhere that of the input"},
		}, pictures.SizeFlags, []cli.Flag{
			&cli.StringFlag{Name: "model", Aliases: []string{"m"}, Value: models.Auto, Usage: "`NAME|FILE`: see superres models; auto is photo, and photo-jpeg for JPEG files of less than high quality"},
			&cli.StringFlag{Name: "effort", Value: "best", Usage: "`HOW` many stages of a cascade to run: fast (one), balanced (two) or best (all)"},
			&cli.BoolFlag{Name: "ensemble", Usage: "take the mean over the eight flips and quarter turns of a picture: better with models of coupled stages, such as coupled, and in vain with cascades; takes eight times as long"},
			&cli.StringFlag{Name: "coder", Usage: "code patches with another `SPEC` than the model's: see superres coders"},
			&cli.IntFlag{Name: "sparsity", Usage: "code patches with `S` atoms at most"},
			&cli.IntFlag{Name: "back-projection", Value: -1, Usage: "back-project `N` times; 0: never; -1: as the model says"},
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "write `FORMAT` (png, jpeg, bmp, tiff); by default that of the input or of -o, and png for standard output"},
			&cli.IntFlag{Name: "quality", Value: 95, Usage: "`Q` of JPEG, 1 to 100"},
			&cli.IntFlag{Name: "tile", Usage: "work on `N` rows of a picture at a time: less takes less memory, the pixels are the same; 0: as suits"},
			&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them, except the folder of -o"},
		}, pictures.FilterFlags, []cli.Flag{
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail, skip or overwrite"},
			&cli.BoolFlag{Name: "resume", Usage: "keep a journal in the folder of the outputs, and do not do again what it has as done"},
			&cli.StringFlag{Name: "shard", Usage: "do only part `I/N` of the pictures, 0/N to N-1/N: the parts may run at once"},
			&cli.BoolFlag{Name: "dry-run", Usage: "show what would be made, and make nothing"},
			&cli.BoolFlag{Name: "json", Usage: "write an event a line to standard output, as JSON"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "say of every picture what it is, by which model it is enlarged and how much memory that is taken to need"},
			&cli.DurationFlag{Name: "timeout", Usage: "give up a picture that takes longer than `T`; by default, one that takes longer than that to decode", Value: 30 * time.Second},
		}, fidelityFlags, console.PictureFlags),
		Action: func(c *cli.Context) error { return run(c, s) },
	})
}

// upscaler enlarges the pictures of one call.
type upscaler struct {
	*console.Streams
	engine                           // for all pictures, but for
	jpeg      func() (engine, error) // JPEG files of less than highQuality; nil: for them too
	size      superres.Options
	quality   int
	overwrite bool
	dry       bool
	verbose   bool
	limits    imagefile.Limits
	whole     time.Duration   // that a picture may take in all; 0: any
	memory    int64           // bytes
	swept     map[string]bool // folders
	bar       *console.Progress
	keep      fidelity
	past      *parts.Ledger
	events    *events
	tally     tally
}

func run(c *cli.Context, s *console.Streams) error {
	u := &upscaler{Streams: s, dry: c.Bool("dry-run"), verbose: c.Bool("verbose") && !c.Bool("quiet"), swept: map[string]bool{}, tally: tally{began: time.Now()}}
	if c.Bool("json") && c.String("output") != "-" {
		u.events = newEvents(s.Out)
	}
	err := u.upscale(c)
	u.events.summary(c.Context, u.tally, err)
	return err
}

func (u *upscaler) upscale(c *cli.Context) (err error) {
	if err := u.configure(c); err != nil {
		return err
	}
	if u.bar, err = console.NewProgress(c, u.Streams); err != nil {
		return err
	}
	defer u.bar.Clear()
	var settings map[string]string
	if c.Bool("resume") {
		part, err := parts.Parse(c.String("shard"))
		if err != nil {
			return err
		}
		all, err := u.engines()
		if err != nil {
			return err
		}
		if settings, err = resultSettings(c, all, u.size); err != nil {
			return err
		}
		u.past = parts.NewLedger(part)
	}
	defer u.past.Close()
	b, err := newBatch(c, u.size, u.past, settings)
	if err != nil {
		return err
	}
	if err := u.keep.check(b.jobs); err != nil {
		return err
	}
	u.tally.total = len(b.jobs) + len(b.skipped)
	if u.dry {
		return u.show(c.Context, b)
	}
	if err := b.err(); err != nil {
		return err
	}
	made, err := b.makeFolders()
	defer func() {
		if u.tally.done == 0 {
			for _, folder := range made {
				_ = os.Remove(folder) // unless there is something in it
			}
		}
	}()
	if err != nil {
		return err
	}
	if err := u.past.Open(b.roots, b.working()); err != nil {
		return err
	}
	u.bar.Several(u.tally.total > 1)
	return u.all(c.Context, b)
}

// configure reads the flags and opens the model.
func (u *upscaler) configure(c *cli.Context) (err error) {
	machine, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	u.memory = machine.Memory
	u.quality, u.overwrite = c.Int("quality"), c.String("on-exist") == "overwrite"
	u.limits = imagefile.Limits{Pixels: machine.Pixels, Time: c.Duration("timeout")}
	if u.size, err = pictures.ReadSize(c); err != nil {
		return err
	}
	u.size.Ensemble = c.Bool("ensemble")
	if u.size.BandRows = c.Int("tile"); u.size.BandRows < 0 {
		return console.Usage("--tile %d: expected 0 or more rows", u.size.BandRows)
	}
	if u.quality < 1 || u.quality > 100 {
		return console.Usage("--quality %d: expected 1 to 100", u.quality)
	}
	if u.limits.Time <= 0 {
		return console.Usage("--timeout %v: expected more than no time", u.limits.Time)
	}
	if c.IsSet("timeout") {
		u.whole = u.limits.Time
	}
	tuning := superres.Tuning{Coder: c.String("coder"), Sparsity: c.Int("sparsity")}
	if n := c.Int("back-projection"); n < -1 {
		return console.Usage("--back-projection %d: expected -1 or more", n)
	} else if n >= 0 {
		tuning.BackProject = &n
	}
	if u.keep, err = newFidelity(c); err != nil {
		return err
	}
	u.limits = u.keep.limits(u.limits)
	name := c.String("model")
	if name == models.Auto {
		name = models.Photo
		u.jpeg = sync.OnceValues(func() (engine, error) { return u.newEngine(c, models.PhotoJPEG, tuning) })
	}
	u.engine, err = u.newEngine(c, name, tuning)
	return err
}

// measure returns the size of the enlargement of a picture, and what it takes, in
// bytes; it refuses what is too much.
func (u *upscaler) measure(cfg image.Config) (w, h int, need int64, err error) {
	w, h, err = u.model.ResultSize(cfg.Width, cfg.Height, u.size)
	if err != nil {
		return 0, 0, 0, console.Fail(console.ExitUsage, err)
	}
	advice := "a smaller --scale"
	if u.size.Scale == 0 {
		advice = "a smaller size"
	}
	const most = 400 // megapixels
	if int64(w)*int64(h) > most*1e6 {
		return 0, 0, 0, fmt.Errorf("output %dx%d is more than %d megapixels; use %s", w, h, most, advice)
	}
	if need = u.model.Memory(u.keep.deepened(cfg), w, h, u.size); need > u.memory {
		return 0, 0, 0, fmt.Errorf("output %dx%d needs %s, the limit is %s; use --max-memory or %s", w, h, console.Bytes(need), console.Bytes(u.memory), advice)
	}
	return w, h, need, nil
}

// one enlarges one picture and notes in out its sizes and warnings. It calls admit with
// the bytes that it takes before it takes them, and waits for that; the time it may
// take begins then.
func (u *upscaler) one(ctx context.Context, j job, out *outcome, admit func(bytes int64), report func(float64)) (err error) {
	ctx, clock := newClock(ctx, u.whole)
	defer func() { err = clock.end(err, j.Path) }()
	limits := u.limits
	limits.Accept = func(cfg image.Config) error {
		_, _, need, err := u.measure(cfg)
		if out.need = need; err == nil {
			admit(need)
			clock.start()
		}
		return err
	}
	var pic *imagefile.Picture
	var info fs.FileInfo // of the input before it is read
	if j.Path == "-" {
		pic, err = imagefile.Decode(ctx, u.In, "standard input", limits)
	} else {
		info, _ = os.Stat(j.Path)
		pic, err = imagefile.Open(ctx, j.Path, limits)
	}
	if err != nil {
		return err
	}
	out.from = pic.Image.Bounds().Size()
	opt := u.size
	opt.Depth, opt.Progress = u.keep.depth, report
	by, err := u.engineFor(pic)
	if err != nil {
		return err
	}
	out.about = about(pic, by.name, out.need)
	result, err := by.model.Upscale(ctx, pic.Image, opt)
	if err != nil {
		return fmt.Errorf("%s: %w", j.Path, err)
	}
	result, how, warnings := u.keep.finish(pic, result, j.format, u.quality, by.software)
	out.to, out.warnings = result.Bounds().Size(), warnings
	return u.deliver(j, info, func(w io.Writer) error {
		return imagefile.Encode(console.Interruptible(ctx, w), result, j.format, how)
	})
}

// deliver puts what write writes where the job says. info is that of the input before
// it was read.
func (u *upscaler) deliver(j job, info fs.FileInfo, write func(io.Writer) error) error {
	if j.output == "-" {
		// The whole file first: a pipe gets all of it or nothing.
		var buf bytes.Buffer
		if err := write(&buf); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
		_, err := u.Out.Write(buf.Bytes())
		return err
	}
	dir := filepath.Dir(j.output)
	if link, is := paths.ThroughLink(j.root, dir); is {
		return console.Fail(console.ExitOutput, fmt.Errorf("%s is a link out of %s; nothing is written through it", link, j.root))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return imagefile.Unwritable(dir, err)
	}
	return u.past.Keep(j.file(), info, func() error {
		return imagefile.WriteAtomic(j.output, u.overwrite || j.replace, write)
	})
}

// note says what an output has not got of its input.
func (u *upscaler) note(path string, warnings []string) {
	if u.keep.quiet {
		return
	}
	for _, text := range warnings {
		u.bar.Pause()
		fmt.Fprintln(u.Err, "superres:", imagefile.OneLine(path+": "+text))
	}
}
