package serve

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/must"
)

// process is a server that runs in a process of its own.
type process struct {
	*exec.Cmd
	t      *testing.T
	url    string
	folder string // of its files, while they have names
	errs   *bytes.Buffer

	expectPanics bool // of workers, in what it logs
}

// startProcess starts a server with args and a folder of its own for temporary files.
func startProcess(t *testing.T, args ...string) *process {
	t.Helper()
	return startCommand(t, t.TempDir(), append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
}

// startCommand starts a command that serves, in the folder dir.
func startCommand(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := &process{t: t, folder: filepath.Join(dir, "tmp"), errs: &bytes.Buffer{}}
	must.Succeed(t, os.Mkdir(p.folder, 0o700))
	p.Cmd = consoletest.Process(dir, args...)
	p.Env = append(p.Env, "TMPDIR="+p.folder)
	p.Stderr = p.errs
	out, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	must.Succeed(t, err)
	t.Cleanup(func() { _ = p.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address (%v): %s", err, p.errs)
	}
	p.url = strings.TrimSpace(line)
	return p
}

// end interrupts the server.
func (p *process) end() {
	p.t.Helper()
	if err := p.Process.Signal(syscall.SIGINT); err != nil {
		p.t.Fatal(err)
	}
	if err := p.Wait(); err != nil || !p.expectPanics && strings.Contains(p.errs.String(), "panic") {
		p.t.Errorf("%v: %s", err, p.errs)
	}
	if files := consoletest.Tree(p.t, p.folder); len(files) > 0 {
		p.t.Errorf("files are left: %v", files)
	}
}

// Many clients at once get their pictures or the answer that the server is busy, in memory within the limit; nothing
// is left of those that disconnect. A small picture does not wait for large ones: the log has its time under load and
// alone.
func TestLoad(t *testing.T) {
	golden.NotShort(t, "enlarges for seconds")
	clients, lasts := consoletest.Full(12, 200), time.Duration(consoletest.Full(2500, 60_000))*time.Millisecond
	const limit = 1 << 30
	p := startProcess(t, "--max-memory", strconv.Itoa(limit>>20))
	most := watchTree(p.Process.Pid)
	side := consoletest.Full(500, 1000)
	small, medium, large := encoded(t, 160, 120), encoded(t, side, side/2), encoded(t, 2*side, 2*side)
	transport := &http.Transport{MaxIdleConnsPerHost: 2 * clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var busy, broken atomic.Int64
	// ask sends picture and returns how long its enlargement took. If the server is busy, it waits for as long as the
	// answer says and returns 0.
	ask := func(ctx context.Context, picture []byte) time.Duration {
		began := time.Now()
		r, err := http.NewRequestWithContext(ctx, "PUT", p.url+"v1/upscale", bytes.NewReader(picture))
		if err != nil {
			t.Error(err)
			return 0
		}
		got, err := client.Do(r)
		var size int64
		if err == nil {
			size, err = io.Copy(io.Discard, got.Body)
			got.Body.Close()
		}
		switch {
		case err != nil && ctx.Err() != nil:
			broken.Add(1)
		case err != nil:
			t.Errorf("%v", err)
		case got.StatusCode == http.StatusTooManyRequests:
			busy.Add(1)
			wait, err := strconv.Atoi(got.Header.Get("Retry-After"))
			if err != nil || wait < 1 || wait > 600 {
				t.Errorf("busy, come again in %q s", got.Header.Get("Retry-After"))
			}
			time.Sleep(min(time.Duration(wait)*time.Second, lasts/4))
		case got.StatusCode != http.StatusOK || size < int64(len(picture)):
			t.Errorf("%s, %d bytes", got.Status, size)
		default:
			return time.Since(began)
		}
		return 0
	}
	median := func(list []time.Duration) time.Duration {
		if slices.Sort(list); len(list) == 0 {
			return 0
		}
		return list[len(list)/2]
	}
	ask(t.Context(), small) // the model is opened
	var alone []time.Duration
	for range consoletest.Full(10, 40) {
		alone = append(alone, ask(t.Context(), small))
	}

	own := median(alone)
	lasts = max(lasts, 10*own) // on a machine that is busy with other work
	var group sync.WaitGroup
	var mu sync.Mutex
	took := map[string][]time.Duration{}
	until := time.Now().Add(lasts)
	over, cancel := context.WithDeadline(t.Context(), until.Add(lasts/4)) // those who still wait go away
	defer cancel()
	for i := range clients {
		group.Go(func() {
			kind, picture := "small", small
			switch {
			case i%10 < 2:
				kind, picture = "large", large
			case i%10 < 5:
				kind, picture = "medium", medium
			}
			for n := 0; time.Now().Before(until); n++ {
				ctx, cancel := context.WithCancel(over)
				away := i%10 == 9 || i%10 == 0 && n%2 == 1
				if away {
					time.AfterFunc(time.Duration(5+37*n%200)*time.Millisecond, cancel)
				}
				if d := ask(ctx, picture); d > 0 {
					mu.Lock()
					took[kind] = append(took[kind], d)
					mu.Unlock()
				}
				cancel()
				if away {
					time.Sleep(lasts / 8)
				}
			}
		})
	}
	group.Wait()
	for kind, list := range took {
		t.Logf("%s: %d pictures, median %v, slowest tenth from %v", kind, len(list), median(list), list[len(list)*9/10])
	}
	t.Logf("%d clients for %v: a small picture alone takes %v, %.2f times that then; %d times busy, %d went away",
		clients, lasts, own, float64(median(took["small"]))/float64(own), busy.Load(), broken.Load())
	if len(took["small"]) == 0 {
		t.Error("no small picture was made")
	}
	peak := most()
	p.end()
	if peak > limit {
		t.Errorf("peak of %d MiB, the limit is %d", peak>>20, limit>>20)
	} else {
		t.Logf("peak of %d MiB, the limit is %d", peak>>20, limit>>20)
	}
}
