// Package learners finds dictionaries in which training signals are sparse.
//
// # Notation
//
//	Y  M×N  the training signals, one a column
//	D  M×K  the dictionary; its columns d_k, the atoms, have length 1
//	X  K×N  the codes, sparse; x^k is row k of X, the use of atom k
//	R  M×N  the residual Y − D·X
//	Ω       the support of X: where it may differ from zero
//	S       non-zeros in a column of X
//
// A [Learner] takes Y and returns D and X with Y ≈ D·X. The two-stage learners share one loop, in alternate.go: code
// the signals over D with a [sparse.Coder], then update D and the values of X on the support that was found. MOD,
// K-SVD, SimCO and BLOTLESS differ only in the update. Online learning does both batch by batch, and ROP neither.
//
// # Adding a learner
//
//   - Write one file with a type and its Learn method. The exported fields are the parameters, each with its default in
//     its comment; the zero value is usable. Begin the file with the problem, the update in symbols, its cost and the
//     paper.
//   - Learn calls [Prepare], which checks its input, reports a [Step] after every iteration, and returns what [Finish]
//     makes of its result. In this package a two-stage learner only writes its update, which alternate (alternate.go)
//     calls; others may use newProgress (progress.go), which records steps and decides when to stop.
//   - Memory estimates its memory at the peak, so that a problem that does not fit is refused before it begins.
//     sparse.Memory does that for the coding, and twoStageMemory for all of alternate. The conformance
//     suite compares the estimate with measurements.
//   - Register it in init with its parameters bound to flags, and refuse values without a meaning in a method
//     Check() error, which is called before any work.
//   - Call learnertest.Run in its test, and add tests of the identities that its mathematics has.
//   - Raise Revision in its registration whenever the same input has another result from then on, so that trials which
//     were kept from before are run again.
//
// A learner in another module uses the exported [Register], [Prepare], [Start], [Finish], the conformance suite in
// package learnertest, and package plugin for its registration. A program that imports that module and calls app.Main
// (see cmd/app) is a superres that has the learner in all of its commands. testdata/outside is such a module, with a
// learner, a coder and a stage. Package external makes a learner of a program in any language.
package learners
