package superres

// Version is the version of this module, by semantic versioning. The package comment says what it promises.
const Version = "0.1.0"
