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
// then update D and the values of X on the support that was found. MOD, K-SVD and
// BLOTLESS differ in the update alone.
//
// # Adding a learner
//
//   - Write one file with a type whose exported fields are its parameters, each
//     with its default said and usable when zero, and a Learn method. Open the
//     file with the problem, the update in symbols, its cost and the paper.
//   - A two-stage learner calls alternate with its update; another calls prepare
//     to have its input checked, and finish to have the signs fixed.
//   - Register it in init with its parameters bound to flags.
//   - Call learnertest.Run in its test, and add the identities of its own.
//
// Another module can do the same with Register, and its learner then stands
// beside the others wherever one is named.
package learners
