package safefile

import (
	"context"
	"io"
)

// Interruptible returns a writer that fails once ctx has ended.
func Interruptible(ctx context.Context, w io.Writer) io.Writer { return stopped{ctx, w} }

type stopped struct {
	context.Context
	io.Writer
}

func (w stopped) Write(p []byte) (int, error) {
	if err := w.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}
