// Package enlarging carries a picture file from input to output: a Source gives its bytes, a Sequence its pictures, a
// Plan says how each is enlarged, and a Sink takes the result, either whole or not at all.
//
// The commands upscale and serve fill in Settings, make an Enlarger of them, and hand it a Job for each file. Enlarge
// and Inspect work out one Plan for the file: sizes, model, memory, format and warnings. Inspect ends there, and
// Enlarge does what was planned, by one loop over the pictures of the file. How that goes on is a run, which callers do
// not see. A still picture is a sequence of one.
//
// To add a kind of input, write one file beside still.go, series.go and video.go, and a test:
//
//   - a type that embeds *run, with the methods of Sequence: Next reads one picture, Finish turns an enlarged picture
//     into what is written, Writer begins the output file, Describe and Noun name it for people. run has the others,
//     for kinds that need no more;
//   - a function that opens the source of a run as that type. It sets Input, Output and Memory with the help of
//     run.measure, calls run.admit before it takes the memory, and reads the first pictures by run.fill.
//
// Files that package imagefile can identify go to openPicture, in still.go, which tells still pictures from animations
// and files with pages. All other kinds belong in the table kinds, in plan.go, with the bytes that they begin with.
package enlarging
