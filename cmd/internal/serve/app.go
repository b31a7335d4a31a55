package serve

import (
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/serve/page"
	"superres/internal/imagefile"
	"superres/internal/imagefile/foreign"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/superres"
)

// App returns the command superres app.
func App(s *console.Streams) *cli.Command {
	opt, win := options{address: defaultAddress}, window{}
	return console.Command(&cli.Command{
		Name: "app", Usage: "enlarge pictures in a window", ArgsUsage: "[FLAGS] [PICTURE|FOLDER...]",
		Description: `   superres app
   superres app photo.jpg holiday/   with these pictures
   superres app --scale 2 photo.jpg  by 2, whatever was chosen last

The window is that of Chromium, Chrome or Edge where one of them is there, and else the
page is opened in the browser. It is the page of superres serve, for this machine alone:
pictures are dropped, pasted or chosen, and results are saved from it. Closing it ends
the program.`,
		Flags: console.Flags(append(settings.Table{
			{Name: "scale", Aliases: []string{"s"}, To: settings.Num(&win.scale, 0).Between(1, superres.MaxScale),
				Help: "begin with the scale `N`, 1 to 16; by default the one that was chosen last"},
		}, opt.ofPictures()...)),
		Action: func(c *cli.Context) error {
			opt.window = &win
			if err := win.take(c.Args().Slice()); err != nil {
				return err
			}
			return run(c, s, opt)
		},
	})
}

// window is the window of superres app: the pictures that the command line names, and the number of open pages. Each
// open page holds a request to v1/window. A window is safe for concurrent use.
type window struct {
	scale float64      // the scale that the page shows first; 0: the scale that the browser remembers
	given []string     // paths of the pictures that the command line names
	list  []page.Given // the same pictures, as the page gets them

	mu    sync.Mutex
	pages int         // number of open pages
	came  bool        // a page has been opened at least once
	due   bool        // a page is being loaded
	timer *time.Timer // ends the program, unless a page is opened in time
}

// openTime is how long a browser may take to show the page, returnTime how long the program waits once no page is open.
const openTime, returnTime = 2 * time.Minute, 2 * time.Second

// mostGiven is the largest number of pictures that the command line of superres app may name.
const mostGiven = 5000

// take adds to the window the pictures in args, which name files and folders, and checks that each can be opened.
func (w *window) take(args []string) error {
	find := pictures.Finder{Recursive: true, // Reads accepts all kinds: the server says which it cannot convert
		Reads: func(string, *foreign.Kind) imagefile.Format { return imagefile.PNG }}
	for _, arg := range args {
		list, _, err := find.Expand(arg)
		if err != nil {
			return err
		}
		for _, in := range list {
			folder := ""
			if in.Root != "" { // found in the folder in.Root that arg names, at in.Place below it
				folder = path.Join(filepath.Base(in.Root), path.Dir(filepath.ToSlash(in.Place))) + "/"
			}
			w.given = append(w.given, in.Path)
			w.list = append(w.list, page.Given{Name: filepath.Base(in.Path), Folder: folder})
		}
	}
	if len(w.given) > mostGiven {
		return console.Usage("%d pictures, at most %d are shown in a window; superres upscale takes any number",
			len(w.given), mostGiven)
	}
	for _, path := range w.given {
		f, _, err := safefile.OpenRegular(path)
		if err != nil {
			return console.Fail(console.ExitInput, err)
		}
		f.Close()
	}
	return nil
}

// endBy makes the window call end if no page is opened within openTime, or if the last page is closed and no page is
// opened within returnTime. If no page was ever opened, the window first logs a line that says so.
func (w *window) endBy(end func(), log func(line string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(openTime, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.pages > 0 { // a page is open; when it is closed, count starts the timer again
			return
		}
		if !w.came {
			log("no browser has shown the page; start superres serve, and open the address that it prints")
		}
		end()
	})
}

// count adds change to the number of open pages: 1 for a page that was opened, -1 for one that was closed, 0 for one
// that is being loaded. It restarts the timer with returnTime after the end of a page, but with openTime if a page is
// being loaded: browsers end a page that is reloaded once they have the beginning of the new one.
func (w *window) count(change int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages += change
	w.came = w.came || change > 0
	w.due = change == 0 || change < 0 && w.due // a page is being loaded, until one is opened
	if change < 0 && !w.due {
		w.timer.Reset(returnTime)
	} else {
		w.timer.Reset(openTime)
	}
}

// holdOpen counts the page that sent r as open, and sends only a header until the page is closed or the program ends.
func (s *site) holdOpen(w http.ResponseWriter, r *http.Request) error {
	s.window.count(1)
	defer s.window.count(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if http.NewResponseController(w).Flush() == nil {
		select {
		case <-r.Context().Done():
		case <-s.ending:
		}
	}
	return nil
}

// sendGiven answers r with a picture of the command line: the parameter n of r is the number of the picture, from 0.
func (s *site) sendGiven(w http.ResponseWriter, r *http.Request) error {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil || n < 0 || n >= len(s.window.given) {
		return console.Failf(console.ExitInput, "no picture has this number")
	}
	f, size, err := safefile.OpenRegular(s.window.given[n])
	if err != nil {
		return console.Fail(console.ExitInput, err)
	}
	defer f.Close()
	if size > imagefile.MaxBytes {
		return console.Failf(console.ExitLimit, "the file has %d bytes, at most %d are read", size, imagefile.MaxBytes)
	}
	w.Header().Set("Content-Type", contentType(s.window.given[n]))
	http.ServeContent(w, r, "", time.Time{}, f)
	return nil
}
