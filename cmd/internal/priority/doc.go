// Package priority lowers the priority of the process, so that long work leaves the processors to other programs. Each
// file has Lower for one kind of system.
package priority
