// Package learned estimates what the samples of a picture do not prove. From traits of a picture (traits.go) three
// perceptrons (perceptron.go) estimate how blurred it is (correction.go), at which strength the robust model should
// work, and which models suit it (judge.go). A network of convolutions estimates from the samples how the picture was
// sharpened (softener.go). Package learning makes the files of the three perceptrons and the network.
package learned
