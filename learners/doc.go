// Package learners finds dictionaries in which training signals are sparse.
//
// # Notation
//
//	Y  M×N  the training signals, one a column
//	D  M×K  the dictionary; its columns d_k, the atoms, have length 1
//	X  K×N  the codes, sparse; x^k is row k of X, the coefficients of atom k
//	R  M×N  the residual Y − D·X
//	Ω       the support of X: where it may differ from zero
//	S       non-zeros in a column of X
//
// A [Learner] takes Y and returns D and X with Y ≈ D·X. The two-stage learners share one loop, in alternate.go: code
// the signals over D with a [sparse.Coder], then update D and the non-zeros of X, without moving them. MOD, K-SVD,
// SimCO and BLOTLESS differ only in the update. Online learning works in batches, ROP without stages.
//
// # Adding a learner
//
//   - Write one file with a type and its Learn method. The exported fields are the parameters, each with its default in
//     its comment; the zero value is usable. Begin the file with the problem, the update in symbols, its cost and the
//     paper.
//   - Learn calls [Prepare], which checks its input, reports a [Step] after every iteration, and returns its result by
//     way of [Finish]. In this package a two-stage learner only writes its update, which alternate (alternate.go)
//     calls; other learners may use newProgress (progress.go), which records steps and decides when to stop.
//   - Memory estimates the peak memory, so that a problem that does not fit is refused before it begins. sparse.Memory
//     estimates the memory of the coding, and twoStageMemory the memory of the whole loop alternate. The conformance
//     suite compares the estimate with measurements.
//   - Register it in init with its parameters bound to flags. A method Check() error refuses invalid values of
//     parameters; it is called before any work.
//   - Call learnertest.Run in its test, and add tests of the mathematical identities of the method.
//   - Raise Revision in its registration whenever the result for the same input changes, so that stored trials of an
//     older revision are run again.
//
// A learner in another module uses the exported [Register], [Prepare], [Start], [Finish], the conformance suite in
// package learnertest, and package plugin for its registration. A program that imports that module and calls app.Main
// (see cmd/app) is a superres that has the learner in all of its commands. testdata/outside is such a module, with a
// learner, a coder and a stage. Package external turns a program in any language into a learner.
package learners
