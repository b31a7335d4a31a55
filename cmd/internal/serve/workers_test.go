package serve

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"superres/internal/scheduling"
)

// In tests, the name of a picture can make its worker misbehave instead of doing its work.
func init() {
	workerHook = func(w *worker, j job) {
		switch j.Params.Get("name") {
		case "panic.png":
			panic("a test wants it")
		case "elsewhere.png":
			go panic("a test wants it elsewhere")
			select {}
		case "eat.png":
			eat(8 << 30)
		case "promise.png":
			if err := w.admit(scheduling.Load{Memory: 100 << 20, Pixels: 100}); err == nil {
				eat(8 << 30)
			}
		case "kill.png":
			killSelf()
		case "exit.png":
			os.Exit(0)
		case "hang.png":
			select {}
		case "length.png":
			_, _ = os.Stdout.Write(binary.LittleEndian.AppendUint32([]byte{frameBytes}, 1<<31))
			select {}
		case "file.png":
			_, _ = w.ask(frameNeed, need{File: 7, Length: 10})
		case "past.png":
			_, _ = w.ask(frameNeed, need{Offset: 1 << 62, Length: 1 << 19})
		case "more.png":
			_, _ = w.ask(frameAdmit, scheduling.Load{Memory: 1 << 60, Pixels: 1})
		case "bytes.png":
			_ = w.send(frameBytes, make([]byte, 1000))
			select {}
		case "share.png":
			_, _ = w.ask(frameShare, 0.5)
		case "format.png":
			_ = w.sendValue(frameEnd, reply{Name: "a", Format: "png\r\nX: y", Answer: []byte("{}")})
			select {}
		case "name.png":
			_ = w.sendValue(frameEnd, reply{Name: "../a", Format: "png", Answer: []byte("{}")})
			select {}
		case "confined.png":
			tryOut()
		}
	}
}

// eat allocates and uses memory.
func eat(bytes int) {
	var all [][]byte
	for range bytes >> 20 {
		part := make([]byte, 1<<20)
		for i := 0; i < len(part); i += 4096 {
			part[i] = 1
		}
		all = append(all, part)
	}
	runtime.KeepAlive(all)
}

// tryOut panics if this worker can do something that its confinement must prevent.
func tryOut() {
	if os.Getenv("SUPERRES_TOKEN") != "" {
		panic("it knows the token")
	}
	if runtime.GOOS != "linux" {
		return
	}
	for name, try := range map[string]func() error{
		"read":    func() error { _, err := os.ReadFile("/etc/hostname"); return err },
		"write":   func() error { return os.WriteFile(filepath.Join(os.TempDir(), "x"), nil, 0o600) },
		"connect": func() error { _, err := net.Dial("tcp", "127.0.0.1:1"); return notRefused(err) },
		"run":     func() error { return exec.Command("/bin/true").Run() },
		"signal":  signalParent,
	} {
		if try() == nil {
			panic("it can " + name)
		}
	}
}

// notRefused returns err, but nil if it only says that no server listens.
func notRefused(err error) error {
	if err != nil && strings.Contains(err.Error(), "connection refused") {
		return nil
	}
	return err
}

// Whatever a picture does to its worker, it gets an error, the operator one line, and other pictures their results.
func TestWorkersEnd(t *testing.T) {
	t.Setenv("SUPERRES_TOKEN", "of-this-test-alone")
	s := start(t, nil)
	picture := hopper(t)
	want := s.do("PUT", s.url+"v1/upscale?model=nearest", bytes.NewReader(picture), nil).body
	for _, c := range []struct {
		name, text string
		exit       int
		log        string
	}{
		{"panic.png", "panic: a test wants it", 4, "panic: a test wants it"},
		{"elsewhere.png", "panic: a test wants it elsewhere", 4, "panic: a test wants it elsewhere"},
		{"eat.png", "more memory", 7, "out of memory"},
		{"promise.png", "more memory", 7, "out of memory"},
		{"kill.png", "was ended by another program", 1, "signal: killed"},
		{"exit.png", "please report it", 4, "ended by itself"},
		{"length.png", "please report it", 4, "2147483648 bytes"},
		{"file.png", "please report it", 4, "past the end"},
		{"past.png", "please report it", 4, "past the end"},
		{"more.png", "please report it", 4, "more than it may"},
		{"bytes.png", "please report it", 4, "more than it may"},
		{"share.png", "please report it", 4, "at a wrong time"},
		{"format.png", "please report it", 4, "no valid name or format"},
		{"name.png", "please report it", 4, "no valid name or format"},
	} {
		if raced && c.exit == 7 {
			continue // it has no limit
		}
		if runtime.GOOS == "windows" && c.name == "kill.png" {
			continue // there are no signals
		}
		var beside sync.WaitGroup
		beside.Go(func() {
			if got := s.do("PUT", s.url+"v1/upscale?model=nearest", bytes.NewReader(picture),
				nil); !bytes.Equal(got.body, want) {
				t.Errorf("beside %s: %d %.200s", c.name, got.status, got.body)
			}
		})
		before := len(s.lines.all())
		status := map[int]int{1: 500, 4: 422, 7: 413}[c.exit]
		s.do("PUT", s.url+"v1/upscale?name="+c.name, bytes.NewReader(picture), nil).failed(t, c.name, status, c.exit,
			c.text)
		beside.Wait()
		if log := s.lines.all()[before:]; len(log) != 1 || !strings.Contains(log[0], c.log) ||
			!strings.Contains(log[0], c.name) || strings.Contains(log[0], "\n") {
			t.Errorf("%s: the log has %q", c.name, log)
		}
	}
	if got := s.do("PUT", s.url+"v1/upscale?model=nearest&name=confined.png", bytes.NewReader(picture),
		nil); !bytes.Equal(got.body, want) {
		t.Errorf("a worker is not confined: %s", got.body)
	}
	s.left()
}

// A worker that ignores the cancellation of its picture is killed, without a message.
func TestWorkersHang(t *testing.T) {
	s := start(t, nil)
	client := http.Client{Timeout: 300 * time.Millisecond}
	if got, err := client.Post(s.url+"v1/upscale?name=hang.png", "image/png", bytes.NewReader(hopper(t))); err == nil {
		got.Body.Close()
		t.Errorf("%d", got.StatusCode)
	}
	s.left()
	s.works()
	if log := s.lines.all(); len(log) > 0 {
		t.Errorf("the log has %q", log)
	}
}

// Workers end when their server is killed.
func TestWorkersEndWithServer(t *testing.T) {
	p := startProcess(t)
	workers := children(p.Process.Pid)
	for i := 0; len(workers) == 0; i++ {
		if i == 500 {
			t.Skip("this system tells of no children")
		}
		time.Sleep(10 * time.Millisecond)
		workers = children(p.Process.Pid)
	}
	_ = p.Process.Kill()
	_ = p.Wait()
	for range 500 {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", workers[0]))
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("a worker goes on")
}

// children returns the ids of the child processes of pid, on systems that tell them.
func children(pid int) (list []int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range threads {
		text, _ := os.ReadFile(path)
		for child := range strings.FieldsSeq(string(text)) {
			if id, err := strconv.Atoi(child); err == nil {
				list = append(list, id)
			}
		}
	}
	return list
}

// tree returns the bytes of private memory of process pid and its children.
func tree(pid int) (total int64) {
	for _, child := range children(pid) {
		total += tree(child)
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, rest, ok := strings.Cut(string(status), "RssAnon:"); ok {
		kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		total += kib << 10
	}
	return total
}

// watchTree watches the memory of process pid and its children; peak ends this and returns the largest value.
func watchTree(pid int) (peak func() int64) {
	stop, most := make(chan bool), make(chan int64)
	go func() {
		largest := int64(0)
		for {
			largest = max(largest, tree(pid))
			select {
			case <-stop:
				most <- largest
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(stop); return <-most }
}
