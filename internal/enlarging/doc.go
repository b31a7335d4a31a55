// Package enlarging carries a picture file from input to output: a Source gives the bytes of the file, a Sequence its
// pictures, a Plan says how each picture is enlarged, and a Sink stores the whole result or, after an error, nothing.
//
// The commands upscale and serve fill in Settings, make an Enlarger with them, and hand it a Job for each file.
// Enlarge and Inspect work out one Plan for the file: sizes, model, memory, format and warnings. Inspect ends there;
// Enlarge carries out the plan in one loop over the pictures. The work on one file is a run, unseen by callers.
//
// To add a kind of input, write one file beside still.go, series.go and video.go, and a test:
//
//   - a type that embeds *run, with the methods of Sequence: Next reads one picture, Finish turns an enlarged picture
//     into the result to write, Writer begins the output file, Describe and Noun name the input for people. run has
//     the other methods, for kinds of input that need no special ones;
//   - a function that opens the source of a run as this type. It sets Input, Output and Memory with the help of
//     run.measure, calls run.admit before it takes the memory, and reads the first pictures by calling run.fill.
//
// Files that package imagefile can identify go to openPicture, in still.go, which tells still pictures from animations
// and files with pages. All other kinds belong in the table kinds, in plan.go, with the bytes that they begin with.
package enlarging
