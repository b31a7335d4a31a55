// Package enlarging is the life of a picture file: a Source gives its bytes, a Sequence its pictures, a Plan says what
// becomes of them, and a Sink takes the result, whole or not at all.
//
// The commands upscale and serve fill in Settings, make an Enlarger of them, and hand it a Job for each file. Enlarge
// and Inspect work out one Plan for it: sizes, model, memory, format and warnings. Inspect ends there, and Enlarge
// runs the plan, by one loop over the pictures of the file. A still picture is a sequence of one.
//
// To add a kind of input, write one file beside still.go, series.go and stream.go, and a test:
//
//   - a type with the methods of Sequence, whose Next reads one picture, whose Finish makes of an enlarged picture
//     what is written, and whose Writer begins a file of results;
//   - a function that opens the source of a Plan as that type. It sets Input, Output and Memory with the help of
//     Plan.measure, calls Plan.admit before it takes the memory, and sets seq, title and the fields beside them.
//
// Files that package imagefile can identify come to openPicture, in still.go, which tells them apart by what they
// hold. All others join the table kinds, in plan.go, by the bytes that they begin with.
package enlarging
