// Package safefile reads and writes files of any kind, without surprises: a file is written whole or not at all, so
// that a failed, full or killed run never leaves half of one, and only regular files are read.
//
// Writing goes to a hidden temporary file in the folder of the final name, which
// only a complete and synchronised file ever takes.
//
// Every refusal is a Fault: one line that says the fault, its cause and, where it can, what to do. It carries no
// program name, which is for the caller to put in front, and names no flag: what the program offers against it is its
// Remedy, which the caller words.
//
// Writing begins in write.go (WriteAtomic, CheckWritable) and goes by the few calls of disk.go, which tests replace;
// leftovers.go removes what killed programs left, by what the names of temporary files tell of their makers and by the
// locks of lock.go. Reading begins in open.go (OpenRegular). fault.go is the refusals.
package safefile
