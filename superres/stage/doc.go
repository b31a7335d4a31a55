// Package stage is the contract between a model and what it is made of.
//
// A model enlarges brightness by plain interpolation first, and then each of its stages
// makes a better enlargement out of the one before it. A [Stage] does that, says how far
// it looks ([Stage.Reach]), how much memory it takes, and how it is kept in a file. What
// more there may be to a stage, that it can be tuned or must not ring beside drawn areas,
// it says by optional interfaces: [Tunable], [AreaKeeper]. A model never asks what type a
// stage has; who wants what one kind alone has, such as the atoms of a dictionary, asks the
// package of that kind, as with coupled.Of.
//
// # Adding a kind of stage
//
//   - Write a package with the type. It knows this package, not superres; a program has
//     the kind when it imports the package, as with formats of package image.
//   - Call [Register] in init with the function that makes the stage of what Save wrote.
//     It must trust nothing: read arrays with [Get], or [Arrays.GetMatrix] with sizes that
//     are known, which check every size, and say what else it will allocate with
//     [Arrays.Reserve].
//   - Call stagetest.Run in its test: it checks all that is promised here.
//
// Another module does the same; testdata/outside is one.
//
// The way through: stage.go has the contract and the registry, work.go what a stage is
// given to work with, arrays.go and chain.go the way to a model file and back,
// backproject.go a small stage that is a whole example.
package stage
