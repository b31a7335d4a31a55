// Package sandbox confines a process that works on files from strangers, and limits its memory.
//
// The confined process first calls Enter, and later Watch. Its parent, which has started it, calls Adopt, and
// Child.Allow before each piece of work. The system enforces:
//
//	Linux    memory: RLIMIT_DATA, set by the parent, which the child cannot lift. Files, network,
//	         other processes: landlock, and a seccomp filter for all threads. Even if one of the two
//	         is missing, the process cannot read, change or execute files. No core dumps, few open
//	         files, an end when the parent ends.
//	Windows  memory, and an end when the parent ends: a job object.
//	others   memory: a watcher within the process.
package sandbox

// ownSize is how many bytes a Go process may map beyond the needs of its work: the heap grows by 64 MiB at a time, and
// each thread of a program that uses C maps 8 MiB.
const ownSize = 192 << 20
