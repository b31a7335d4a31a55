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
// A [Learner] takes Y and gives D and X with Y ≈ D·X. The two-stage learners
// share one loop, in alternate.go: code the signals over D with a [sparse.Coder],
// then update D and the values of X on the support that was found. MOD, K-SVD,
// SimCO and BLOTLESS differ in the update alone. Online learning does both batch by batch.
//
// # Adding a learner
//
//   - Write one file with a type whose exported fields are its parameters, each
//     with its default said and usable when zero, and a Learn method. Open the
//     file with the problem, the update in symbols, its cost and the paper.
//   - A learner calls [Prepare] to have its input checked, says after every iteration what
//     it has reached, in a [Step], and calls [Finish] to have the signs fixed.
//   - One of this package need not do that itself: a two-stage learner calls alternate
//     (alternate.go) with its update, which does all of it; another calls newProgress
//     (progress.go) to have its steps kept and its end found, where they fit it.
//   - It says in Memory how much it takes at its peak, so that what does not fit is refused
//     before it begins; sparse.Memory says it of the coding, twoStageMemory (memory.go) of
//     all that alternate does. The conformance suite measures it.
//   - Register it in init with its parameters bound to flags, and refuse values that
//     mean nothing in a method Check() error, so that they are told before any work.
//   - Call learnertest.Run in its test, and add the identities of its own.
//
// Another module has what is exported: [Register], [Prepare], [Start] and [Finish], the
// conformance tests of package learnertest, and package plugin for what a learner says of
// itself; alternate and newProgress are for learners of this package only. A program that
// imports it for its registration and calls app.Main (see cmd/app) is a superres that has
// it beside the others wherever a learner is named: train, learn, recover, compare and the
// list. testdata/outside is such a module: its package exemplars is a whole learner, and it
// has a coder and a stage besides. A program in any other language is a learner by package
// external.
package learners
