// Package stage is the contract between a model and its parts.
//
// A model first enlarges brightness by plain interpolation; then each of its stages improves the enlargement that the
// stage before it made. A [Stage] does that, says how many rows around a row its result depends on ([Stage.Reach]) and
// how much memory it takes, and is stored in a model file. Some stages implement optional interfaces: [Tunable] if they
// have settings, [AreaKeeper] if they may ring beside flat areas, [ColourViewer] if they look at colour. A model never
// asks for the type of a stage; a caller that needs what one kind has, such as the atoms of a dictionary, asks the
// package of that kind, as with coupled.Of.
//
// # Adding a kind of stage
//
//   - Write a package with the type. It imports this package, not superres; a program has the kind
//     when it imports the package, as with formats of package image.
//   - Call [Register] in init with the function that loads the stage that Save saved. It must not
//     trust the file: read arrays with [Get] or [Arrays.GetMatrix], which check the sizes that they
//     are given, and call [Arrays.Reserve] before it allocates anything else.
//   - Call stagetest.Run in its test: it checks all that is promised here.
//
// A stage in another module is written in the same way; testdata/outside is such a module. A network that enlarges
// colour is a [Colour]; use [RegisterColour] and stagetest.RunColour for it. One that enlarges red, green and blue
// together, without interpolation before it, is a [Network]; use [RegisterNetwork] and stagetest.RunNetwork.
//
// stage.go has the contract and the registry, work.go the memory and the progress that a stage is given, arrays.go and
// file.go the way to a model file and back, backproject.go a small stage that is a whole example.
package stage
