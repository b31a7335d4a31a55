// Package enlarging carries a picture file from input to output: a Source gives its bytes, a Sequence its pictures, a
// Plan says how each is enlarged, and a Sink takes the result, either whole or not at all.
//
// The commands upscale and serve fill in Settings, make an Enlarger of them, and hand it a Job for each file. Enlarge
// and Inspect work out one Plan for the file: sizes, model, memory, format and warnings. Inspect ends there, and
// Enlarge runs the plan, by one loop over the pictures of the file. A still picture is a sequence of one.
//
// To add a kind of input, write one file beside still.go, series.go and video.go, and a test:
//
//   - a type with the methods of Sequence: Next reads one picture, Finish turns an enlarged picture into what is
//     written, and Writer begins the output file;
//   - a function that opens the source of a Plan as that type. It sets Input, Output and Memory with the help of
//     Plan.measure, calls Plan.admit before it takes the memory, and sets seq, title and the fields beside them.
//
// Files that package imagefile can identify go to openPicture, in still.go, which tells still pictures from animations
// and files with pages. All other kinds belong in the table kinds, in plan.go, with the bytes that they begin with.
package enlarging
