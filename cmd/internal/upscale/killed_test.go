package upscale

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/parts"
	"superres/internal/golden"
)

// untilDone runs the program in dir, kills it after random times, and runs it again until it ends by itself. It calls
// look after each kill, and returns the output and exit code of the last run and the number of kills.
func untilDone(t *testing.T, random *rand.Rand, dir string, look func(), line string) (stdout string, code,
	kills int) {
	for longest := 50 * time.Millisecond; ; longest += longest / 4 {
		var out, errs bytes.Buffer
		cmd := consoletest.Process(dir, strings.Fields("upscale "+line)...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Error(err)
			return "", -1, kills
		}
		killer := time.AfterFunc(time.Duration(random.Int64N(int64(longest))), func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		killer.Stop()
		if cmd.ProcessState.Exited() {
			if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
				t.Error(err)
			}
			if t.Failed() {
				t.Log(errs.String())
			}
			return out.String(), cmd.ProcessState.ExitCode(), kills
		}
		kills++
		look()
	}
}

// manyFiles returns a folder of n files, of which the 18th, 58th and so on, bad in all, are not pictures; want has the
// outputs expected for the others.
func manyFiles(t *testing.T, n int) (dir string, want map[string]string, bad int) {
	golden.NotShort(t, "starts the program many times")
	dir = t.TempDir()
	for i := range n {
		name := fmt.Sprintf("in/%c/%03d.png", 'a'+i%3, i)
		consoletest.Blobs(t, dir, 5+i%7, 4+i%11, name)
		if i%40 == 17 {
			bad++
			putText(t, dir, name, "not a picture")
		}
	}
	_, stderr := expect(t, dir, "", "-m bicubic -r in -o undisturbed -q", 3)
	if strings.Count(stderr, "not an image") != bad {
		t.Fatal(stderr)
	}
	want = consoletest.Results(t, filepath.Join(dir, "undisturbed"))
	if len(want) != n-bad || len(consoletest.Tree(t, filepath.Join(dir, "undisturbed"))) != n-bad {
		t.Fatalf("%d files", len(want))
	}
	return dir, want, bad
}

// A batch that is killed at random times and resumed ends as if it had not been: no output is incomplete or made
// twice, bad files are reported, and no temporary file is left.
func TestKilledAndResumed(t *testing.T) {
	n := consoletest.Full(80, 200)
	dir, want, bad := manyFiles(t, n)
	out := filepath.Join(dir, "out")
	finished := map[string]time.Time{} // when outputs that the journal records were written
	look := func() {
		if _, err := os.Stat(out); err != nil {
			return
		}
		for f, data := range consoletest.Results(t, out) {
			if data != want[f] {
				t.Errorf("after a kill, %s has %d bytes, expected %d", f, len(data), len(want[f]))
			}
		}
		var records []parts.Record
		_, _, err := parts.ReadJournal(filepath.Join(out, ".superres-journal.jsonl"),
			func(r parts.Record) { records = append(records, r) })
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		for _, r := range records {
			output := string(r.Output)
			info, err := os.Stat(filepath.Join(out, output))
			if r.State != "done" {
				continue
			}
			if err != nil {
				t.Error(err)
			} else if was, ok := finished[output]; ok && !info.ModTime().Equal(was) {
				t.Errorf("%s was made twice", output)
			} else {
				finished[output] = info.ModTime()
			}
		}
	}
	stdout, code, kills := untilDone(t, rand.New(rand.NewPCG(1, 2)), dir, look, killedLine)
	look()
	t.Logf("%d kills", kills)
	got := consoletest.Results(t, out)
	if code != 3 || !maps.Equal(got, want) || len(finished) != n-bad || kills == 0 {
		t.Errorf("exit %d, %d results, %d of them in the journal, %d kills", code, len(got), len(finished), kills)
	}
	if all := consoletest.Tree(t, out); len(all) != n-bad+1 {
		t.Errorf("%d files, expected %d and the journal: %v", len(all), n-bad,
			slices.DeleteFunc(all, func(f string) bool { return want[f] != "" }))
	}
	s := summaryOf(t, stdout)
	if s.Total != n || s.Done+s.Skipped != n-bad || s.Failed != bad || len(s.Failures) != bad || s.ExitCode != 3 {
		t.Errorf("%+v", s)
	}
	expect(t, dir, "", killedLine, 3,
		fmt.Sprintf("%d of %d pictures failed, %d are done: in/a/057.png", bad, n, n-bad))
}

// killedLine is the arguments of the runs that are killed.
const killedLine = "-m bicubic -r in -o out --resume --json -q"

// summaryOf returns the summary at the end of the events in stdout.
func summaryOf(t *testing.T, stdout string) summaryEvent {
	t.Helper()
	_, last := decodeEvents(t, stdout)
	return last
}

// The same holds for parts that run at once, are killed, and share an output folder.
func TestKilledShards(t *testing.T) {
	n, parts := consoletest.Full(60, 200), consoletest.Full(3, 7)
	dir, want, bad := manyFiles(t, n)
	var group sync.WaitGroup
	var mu sync.Mutex
	var sum summaryEvent
	kills := 0
	slots := make(chan bool, 3)
	for i := range parts {
		group.Go(func() {
			slots <- true
			defer func() { <-slots }()
			stdout, code, k := untilDone(t, rand.New(rand.NewPCG(uint64(i), 3)), dir, func() {},
				fmt.Sprintf("%s --shard %d/%d", killedLine, i, parts))
			mu.Lock()
			defer mu.Unlock()
			s := summaryOf(t, stdout)
			if wantCode := map[bool]int{true: 3}[s.Failed > 0]; code != wantCode {
				t.Errorf("part %d: exit %d with %d failures", i, code, s.Failed)
			}
			sum.Total, sum.Failed, kills = sum.Total+s.Total, sum.Failed+s.Failed, kills+k
		})
	}
	group.Wait()
	t.Logf("%d kills", kills)
	out := filepath.Join(dir, "out")
	if got := consoletest.Results(t, out); !maps.Equal(got, want) || sum.Total != n || sum.Failed != bad {
		t.Errorf("%d results, %+v", len(got), sum)
	}
	if files := len(consoletest.Tree(t, out)); files != n-bad+parts {
		t.Errorf("%d files, expected %d and %d journals", files, n-bad, parts)
	}
	// Runs with another number of parts, or without, know what is done.
	for _, flags := range []string{"", " --shard 1/2"} {
		stdout, _, _ := call(t, dir, "", strings.Fields("upscale "+killedLine+flags)...)
		if s := summaryOf(t, stdout); s.Done != 0 || s.Skipped == 0 {
			t.Errorf("again, %s: %+v", flags, s)
		}
	}
}

// The job files in the documentation for many machines do what it says.
func TestReadmeJobs(t *testing.T) {
	text := consoletest.Read(t, filepath.Join(golden.Root(t), "cmd", "internal", "parts", "README.md"))
	slurm := regexp.MustCompile(`(?m)^superres (upscale .*SLURM_ARRAY_TASK_ID.*)$`).FindSubmatch(text)
	kubernetes := regexp.MustCompile(`(?m)^ *command: \[superres, (.*)\]$`).FindSubmatch(text)
	if slurm == nil || kubernetes == nil {
		t.Fatal("the commands are not there")
	}
	// A crash, for lack of memory say, has the code of wrong usage, and is tried again.
	final := regexp.MustCompile(`action: FailIndex\n *onExitCodes: \{containerName: superres, operator: In, ` +
		`values: \[(.*)\]\}`).FindSubmatch(text)
	if want := fmt.Sprintf("%d, %d, %d, %d, %d, %d", console.ExitNothing, console.ExitSome, console.ExitInput,
		console.ExitOutput, console.ExitModel, console.ExitLimit); final == nil || string(final[1]) != want {
		t.Errorf("the codes that are final: %s, expected %s", final, want)
	}
	for _, command := range []string{string(slurm[1]), strings.ReplaceAll(string(kubernetes[1]), ",", "")} {
		dir := t.TempDir()
		for i := range 9 {
			consoletest.Blobs(t, dir, 3, 3, fmt.Sprintf("photos/%d.png", i))
		}
		for i := range 7 {
			index := strings.NewReplacer(`"`, "", "$SLURM_ARRAY_TASK_ID", fmt.Sprint(i), "$(JOB_COMPLETION_INDEX)",
				fmt.Sprint(i), "upscale ", "")
			expect(t, dir, "", index.Replace(command)+" -m nearest", 0)
		}
		if got := consoletest.Results(t, filepath.Join(dir, "large")); len(got) != 9 {
			t.Errorf("%s: %d results", command, len(got))
		}
	}
}
