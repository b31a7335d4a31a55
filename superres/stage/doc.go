// Package stage is the contract between a model and its parts.
//
// A model first enlarges brightness by plain interpolation; then each of its stages improves the result of the stage
// before it. A [Stage] also says how many rows around a row its result depends on ([Stage.Reach]) and how much memory
// it takes, and is stored in a model file. Some stages implement optional interfaces: [Tunable] if they have settings,
// [AreaKeeper] if they may ring beside flat areas, [ColourViewer] if they look at colour. A model never asks for the
// type of a stage; a caller that needs a property of one kind, such as the atoms of a dictionary, asks the package of
// that kind, as with coupled.Of.
//
// # Adding a kind of stage
//
//   - Write a package with the type. It imports this package, not superres; a program has the kind if it imports the
//     package, as with formats of package image.
//   - Call [Register] in init with the function that loads a stage from the data of Save. It must not trust the file:
//     read arrays with [Get] or [Arrays.GetMatrix], which check their sizes, and call [Arrays.Reserve] before it
//     allocates anything else.
//   - Call stagetest.Run in its test: it checks everything that this page and the interface demand.
//
// A stage in another module is written in the same way; testdata/outside is such a module. A network that enlarges
// colour is a [Colour]; use [RegisterColour] and stagetest.RunColour for it. A network that enlarges red, green and
// blue together, without interpolation before it, is a [Network]; use [RegisterNetwork] and stagetest.RunNetwork.
//
// stage.go has the interfaces and the registry, work.go the memory and the progress reports of a stage, arrays.go and
// file.go the way to a model file and back, backproject.go a small but complete stage as an example.
package stage
