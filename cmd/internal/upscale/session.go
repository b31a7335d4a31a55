package upscale

import (
	"context"
	"image"
	"io"
	"io/fs"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/video"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/stage"
)

// session is the state of one call of the command.
type session struct {
	*enlarging.Enlarger
	opt     Options
	past    resumption
	streams *console.Streams
	in      *enlarging.Standard // standard input
	ffmpeg  *video.Tools        // programs for video files; nil: no input is a video file
	others  *decoders.Set       // programs that convert pictures which superres cannot read
	ctx     context.Context     // at its end, the programs that others has started are stopped
}

// plain returns the input called name, standard input or a file, as a source that is read without conversion.
func (e *session) plain(name string) enlarging.Source {
	if paths.IsStandard(name) {
		return e.in
	}
	return enlarging.File(name)
}

// source is like plain, but has another program convert the file first if superres cannot read its kind.
func (e *session) source(name string) enlarging.Source {
	if paths.IsStandard(name) {
		return e.plain(name)
	}
	return e.others.Source(e.ctx, name)
}

// jobOf returns the job for j. Keep writes the file and records it for --resume. Work on a video stops when ctx ends.
func (e *session) jobOf(ctx context.Context, j job) enlarging.Job {
	file := j.file()
	file.Dates = e.opt.KeepDates
	if j.format == pictures.Container {
		return e.ffmpeg.Job(ctx, video.File{In: j.Path, Out: j.output, Root: j.root, Settings: j.settings,
			Strip: e.opt.Keep.Strip, Keep: func(info fs.FileInfo, write func(temp string) error) error {
				return e.past.KeepMade(file, info, e.opt.OnExist == "overwrite", write)
			}})
	}
	out := enlarging.Job{Source: e.source(j.Path), Format: j.format}
	if j.piped() {
		// Without --format, a file with several pictures keeps its own format.
		out.Sink, out.Follow = enlarging.Pipe{Writer: e.streams.Out}, e.opt.Naming.Format == ""
		return out
	}
	sink := pictures.FileSink{Path: j.output, Root: j.root,
		Keep: func(info fs.FileInfo, write func(io.Writer) error) error {
			return e.past.Keep(file, info, e.opt.OnExist == "overwrite" || e.opt.Naming.Replace, write)
		}}
	if e.opt.Naming.Replace {
		sink.Original = j.output + originalExt
	}
	out.Sink = sink
	return out
}

// isCopy is the warning that a result is a copy of the picture.
const isCopy = "is large enough already, and is copied"

// enlarge produces the result of j. If the picture is large enough already, that is a copy of the input file or, if
// options change the format or depth, drop metadata or take only the first frame, a new file with the same pixels.
func (e *session) enlarge(ctx context.Context, j job, watch enlarging.Watch) (*enlarging.Plan, error) {
	work := e.jobOf(ctx, j)
	if !j.Large {
		return e.Enlarge(ctx, work, watch)
	}
	format, _, err := imagefile.Identify(j.Path)
	if err != nil || format != j.format || e.opt.Keep.Strip || e.opt.Keep.Depth != 0 || e.opt.Keep.FirstFrame {
		samePixels := e.opt.Settings // interpolation by 1 changes nothing
		samePixels.Model, samePixels.Size = string(resample.Bicubic), superres.Options{Scale: 1}
		samePixels.Denoise, samePixels.Tuning, samePixels.Keep.Record = 0, stage.Tuning{}, false
		copier, err := enlarging.New(samePixels)
		if err != nil {
			return nil, err
		}
		p, err := copier.Enlarge(ctx, work, watch)
		p.Warnings = append(p.Warnings, isCopy)
		return p, err
	}
	size := image.Pt(int(j.Width), int(j.Height))
	p := &enlarging.Plan{Job: work, Input: size, Output: size, Warnings: []string{isCopy}}
	from, err := work.Source.Open()
	if err != nil {
		return p, err
	}
	defer from.Close()
	p.Info = from.Info
	return p, work.Sink.Deliver(p, func(w io.Writer) error {
		_, err := io.Copy(safefile.Interruptible(ctx, w), from)
		return err
	})
}

// findFFmpeg sets e.ffmpeg to the programs that read and write video files if one of jobs is a video file that can be
// read, and has r print remarks about videos. It fails if the programs are missing.
func (e *session) findFFmpeg(ctx context.Context, jobs []job, r *report) (err error) {
	for _, j := range jobs {
		if j.format == pictures.Container && pictures.CheckContainer(j.Path) == nil {
			if e.ffmpeg, err = video.Find(ctx, j.Path, j.output); err == nil {
				e.ffmpeg.Note, e.ffmpeg.Wanted = r.note, e.opt.encoding
			}
			return err
		}
	}
	return nil
}

// isVideo reports whether the only input is a stream of frames (Y4M), as its first bytes show. It fails if a stream is
// one of several inputs, or if standard input is a video file.
func (e *session) isVideo() (bool, error) {
	alone := len(e.opt.Inputs) == 1
	for _, name := range e.opt.Inputs {
		if paths.IsStandard(name) && (!alone || e.opt.DryRun || e.opt.Resume) {
			continue // will be refused, so it is not read here
		}
		if paths.IsStandard(name) {
			in, _ := e.in.Open() // never fails
			if head, _ := in.Peek(pictures.HeadBytes); pictures.BeginsContainer(head) {
				return false, console.Failf(console.ExitInput, "standard input is a video file; name the file, or "+
					"pipe its frames: ffmpeg -i IN -f yuv4mpegpipe - | superres upscale - | "+
					"ffmpeg -i - -i IN -c:a copy OUT")
			}
		}
		// Of several files, only the ones with the name of a stream are opened.
		if !alone && !pictures.IsNamedVideo(name) || enlarging.FormatOf(e.plain(name)) != pictures.Video {
			continue
		}
		if !alone {
			return false, console.Usage("%s is a stream of frames, which is enlarged alone; "+
				"give each stream a call of its own", name)
		}
		return true, nil
	}
	return false, nil
}
