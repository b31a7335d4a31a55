// Package priority lowers the priority of the process, so that long work leaves the processors to other programs. Each
// file has Lower for one kind of system.
package priority

// niceness is the nice value of low priority on systems of Unix's kind, the default of nice(1). Beside a program of the
// usual value 0 that wants a processor all the time, a process gets a tenth of that processor on Linux.
const niceness = 10
