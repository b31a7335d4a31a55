package superres

import (
	"context"
	"errors"
	"image"
	"sync"
	"sync/atomic"
)

// defaultModel holds the function that opens the model of Upscale; empty: there is none.
var defaultModel atomic.Pointer[func() (*Model, error)]

// SetDefault makes Upscale use the model that open returns. open is called at most once, when Upscale first needs it.
// Package superres/models, when it is imported, sets its model auto.
func SetDefault(open func() (*Model, error)) {
	once := sync.OnceValues(open)
	defaultModel.Store(&once)
}

// Upscale returns img enlarged by the default model, as Model.Upscale does. The default is the model auto of package
// superres/models, which the program must import; SetDefault sets another. The model is opened by the first call, in
// some milliseconds. Upscale may be called concurrently.
func Upscale(ctx context.Context, img image.Image, opt Options) (image.Image, error) {
	open := defaultModel.Load()
	if open == nil {
		return nil, Unusable(errors.New("there is no default model; import superres/superres/models"))
	}
	m, err := (*open)()
	if err != nil {
		return nil, err
	}
	return m.Upscale(ctx, img, opt)
}
