package serve

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"superres/cmd/internal/serve/jobs"
	"superres/internal/imagefile"
)

// The server and a worker exchange frames over the worker's standard input and output. A frame is a letter for its
// kind, the length of its content as four bytes, little-endian, and the content:
//
//	server  worker
//	start           the settings, once
//	        ready   the worker is confined; lists means of confinement that the system lacks
//	job             the call to do and the sizes of its files
//	        need    asks for bytes of a file
//	data            the bytes that the worker asked for
//	        admit   what the picture needs, before the worker takes much memory
//	grant           the worker may go on, with this memory and share of the processors
//	refuse          instead of data or grant: the worker may not go on, and must end the job with any error
//	        share   the part of the work that is done, 0 to 1; the answer is a grant
//	        bytes   part of the result
//	        end     the reply
//	cancel          end the job early; may come at any time, even after the job has ended
//
// A worker awaits each answer to need, admit and share, even in a cancelled job: no answer may be left for the next
// job.
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

// mostInFrame is the most bytes in the content of a frame, mostWords in JSON, the content of all but data and bytes.
const (
	mostInFrame = 1 << 20
	mostWords   = 256 << 10
)

// workerSettings are the settings of the server that workers need.
type workerSettings struct {
	Version        string        // version of the program, which must be the same in server and worker
	Memory, Pixels int64         // limits of one picture: bytes and pixels
	Decode, Whole  time.Duration // longest time to decode a picture, and for all work on it; 0: no limit
}

// workerReady is the first message of a worker.
type workerReady struct {
	Version string
	Missing []string // means of confinement that the system lacks
}

// job is a call that the server sends to a worker.
type job struct {
	jobs.Job
	Sizes []int64 // sizes of the files of the call, in bytes
	// Model is the version of the user's model that the call uses, as its last file; empty: the model is embedded.
	Model string `json:",omitempty"`
}

// need asks for Length bytes, at most mostInFrame, from Offset on. They are in file number File of the job, from 0.
type need struct{ File, Offset, Length int64 }

// grant is the memory and the share of the processors that a picture may use.
type grant struct {
	Memory int64 // bytes that the picture may take; 0 in the answer to a share frame
	Tasks  int   // number of pictures, including this one, that share the processors
}

// reply is the outcome of a job.
type reply struct {
	Failure *failure         `json:",omitempty"` // nil: the job succeeded
	Name    string           // of upscale: suggested file name of the result
	Format  imagefile.Format // of upscale: format of the result
	Answer  json.RawMessage  // the last event of the picture
}

// link is one end of the connection between server and worker. Several goroutines may send, but only one may receive.
type link struct {
	in *bufio.Reader

	mu  sync.Mutex // guards out
	out *bufio.Writer
}

func newLink(in io.Reader, out io.Writer) *link {
	return &link{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriterSize(out, 64<<10)}
}

// send sends a frame with content; kind is the letter of the frame, such as frameJob.
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

// sendValue sends a frame with the letter kind and v, as JSON, as its content.
func (l *link) sendValue(kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.send(kind, text)
}

// receive returns the letter and the content of the next frame. It fails if the content is longer than its kind allows.
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

// receiveValue reads the next frame, which must have the letter kind, and decodes its JSON into v.
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
