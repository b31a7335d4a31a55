package console

// Version is that of the program.
const Version = "0.1.0"
