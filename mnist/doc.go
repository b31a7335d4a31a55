// Package mnist reads and writes IDX files, the format of the MNIST digits. It needs only the standard library.
//
// An IDX file is a big-endian header followed by uncompressed bytes:
//
//	offset  images (0x00000803)    labels (0x00000801)
//	0       magic number           magic number
//	4       number of images       number of labels
//	8       rows (height)          one byte a label
//	12      columns (width)
//	16      pixels, row by row
//
// The last byte of the magic number is the number of dimensions, and the byte before it the element type (8: unsigned
// byte). Pixels are returned as stored: in MNIST 0 is the background and 255 is full ink.
//
// [OpenImages] reads images, and [OpenPair] images with their labels, one at a time. Files packed by gzip are
// recognised by their content. Reading is strict: a file that is short, long, damaged or of the wrong kind gives an
// error that says what is wrong, and where. Errors count items from 0, as indices do: "image 17 of 10000" is the [Item]
// with index 17. Only a loop that runs to its end checks the end of the file.
//
// Read it in this order: stream.go, a file and its header; images.go, its images and their labels; write.go, which
// writes files; official.go, which recognises MNIST's own files by their SHA-256 sums; table1.go, the paper's digits.
package mnist
