package mnist_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"image"
	"image/color"
	"log"

	"superres/mnist"
)

// Write two pictures, packed, and read them back one at a time.
func Example() {
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	w, err := mnist.NewImageWriter(z, 2, 28, 28)
	if err != nil {
		log.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, 28, 28))
	for i := range 2 {
		img.SetGray(14, 10+i, color.Gray{Y: 255})
		if err := w.Write(img); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}

	images, err := mnist.NewImages(&file) // a file on disk: OpenImages
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d images of %d×%d\n", images.Count(), images.Width(), images.Height())
	for img, err := range images.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("ink:", bytes.Count(img.Pix, []byte{255}))
	}
	// Output:
	// 2 images of 28×28
	// ink: 1
	// ink: 2
}

func ExampleTable1() {
	for _, d := range mnist.Table1() {
		fmt.Printf("digit %d: training image %d\n", d.Digit, d.Index)
	}
	// Output:
	// digit 5: training image 39114
	// digit 0: training image 10523
	// digit 9: training image 3760
	// digit 2: training image 2065
}
