package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"

	"superres/superres/files"
)

// A file is enlarged to fit a screen; anything that can be read may come in.
func Example() {
	e, err := files.New(files.Options{Width: 320, Height: 200, Fit: true, Format: "jpeg"})
	if err != nil {
		panic(err)
	}
	var small, large bytes.Buffer
	if err := png.Encode(&small, image.NewGray(image.Rect(0, 0, 60, 40))); err != nil {
		panic(err)
	}
	result, err := e.Upscale(context.Background(), &large, &small)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Width, result.Height, result.MIMEType())

	_, err = e.Upscale(context.Background(), &large, strings.NewReader("Dear all"))
	fmt.Println(errors.Is(err, files.ErrInput))
	// Output:
	// 300 200 image/jpeg
	// true
}
