package serve

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"sync"
	"time"

	"superres/internal/imagefile"
)

// The server and a worker talk in frames over the worker's standard input and output: a letter,
// the length of what follows in four bytes, little-endian, and that.
//
//	server  worker
//	start           the settings, once
//	        ready   it is confined; what of that the system has not got
//	job             what to do with which files
//	        need    bytes of a file, which follow:
//	data
//	        admit   what the picture takes; before it takes anything to speak of
//	grant           it may, and with how many other pictures it shares the processors; or
//	refuse          it may not, and ends the job with an error, any
//	        share   how far it is; the worker waits for the next grant
//	        bytes   of the result
//	        end     the reply
//	cancel          end the job early; at any time, also when it has ended
//
// A worker waits for the answer to each need, admit and share, and gets one also when its job is
// cancelled. So nothing of a job is ever left for the next one.
const (
	frameStart  = 'S'
	frameJob    = 'J'
	frameData   = 'D'
	frameGrant  = 'G'
	frameRefuse = 'X'
	frameCancel = 'C'

	frameReady = 'r'
	frameNeed  = 'n'
	frameAdmit = 'a'
	frameShare = 's'
	frameBytes = 'b'
	frameEnd   = 'e'
)

// mostInFrame is how long what follows in a frame is at most, in bytes, and mostWords as much of
// those with values in JSON.
const (
	mostInFrame = 1 << 20
	mostWords   = 256 << 10
)

// workerSettings are those of the server that workers need.
type workerSettings struct {
	Version        string // of the program
	Memory, Pixels int64  // limits of a picture
	Decode, Whole  time.Duration
}

// workerReady is the first word of a worker.
type workerReady struct {
	Version string
	Missing []string // what the system has not got to confine it
}

// job is what a worker is to do.
type job struct {
	Call   string     // upscale, inspect or score
	Params url.Values // of upscale and inspect
	Scale  int        // of score
	Sizes  []int64    // of the files, in bytes
}

// need asks for bytes of a file of a job, mostInFrame of them at most.
type need struct{ File, Offset, Length int64 }

// grant is what a picture may take.
type grant struct {
	Memory int64 // in bytes; 0 in the answer to a share
	Tasks  int   // pictures that share the processors, itself among them
}

// reply is what has become of a job.
type reply struct {
	Failure *failure         `json:",omitempty"` // nil: it is done
	Name    string           // of upscale: of a file of the result
	Format  imagefile.Format // of upscale: that of the result
	Answer  json.RawMessage  // the event of upscale and inspect, or the scores
}

// link is one side of a talk. Frames are sent by several goroutines, and received by one.
type link struct {
	in *bufio.Reader

	mu  sync.Mutex // guards what follows
	out *bufio.Writer
}

func newLink(in io.Reader, out io.Writer) *link {
	return &link{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriterSize(out, 64<<10)}
}

// send sends a frame.
func (l *link) send(kind byte, content []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var head [5]byte
	head[0] = kind
	binary.LittleEndian.PutUint32(head[1:], uint32(len(content)))
	if _, err := l.out.Write(head[:]); err != nil {
		return err
	}
	if _, err := l.out.Write(content); err != nil {
		return err
	}
	return l.out.Flush()
}

// sendValue sends a frame with a value in JSON.
func (l *link) sendValue(kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.send(kind, text)
}

// receive receives a frame. Nothing is believed of its length beyond what may be.
func (l *link) receive() (kind byte, content []byte, err error) {
	var head [5]byte
	if _, err = io.ReadFull(l.in, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[1:])
	if n > mostInFrame || n > mostWords && head[0] != frameData && head[0] != frameBytes {
		return 0, nil, fmt.Errorf("a frame %q of %d bytes", head[0], n)
	}
	content = make([]byte, n)
	_, err = io.ReadFull(l.in, content)
	return head[0], content, err
}

// receiveValue receives a frame of a kind, with a value in JSON.
func (l *link) receiveValue(kind byte, v any) error {
	got, content, err := l.receive()
	if err == nil && got != kind {
		err = fmt.Errorf("a frame %q, expected %q", got, kind)
	}
	if err == nil {
		err = json.Unmarshal(content, v)
	}
	return err
}
