// Package safefile reads and writes files of any kind safely: a file is written completely or not at all, so that a
// failed, full or killed run never leaves half a file, and only regular files are read.
//
// Output goes to a hidden temporary file beside the final name, and gets the name when it is complete and on the disk.
//
// Every refusal is a Fault: one line that says what is wrong, why and, if possible, what to do. The caller puts the
// name of the program before this line. A Fault names no flag; the caller words its Remedy, which says what would help.
//
// Writing begins in write.go (WriteAtomic, CheckWritable) and uses the few calls in disk.go, which tests replace.
// leftovers.go removes files that killed programs have left, which it recognises by their names and by the locks in
// lock.go. Reading begins in open.go (OpenRegular). fault.go defines the refusals.
package safefile
