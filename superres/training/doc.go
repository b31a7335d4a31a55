// Package training has what all trainers of stages share: their interface, their training pictures, their results, and
// the errors for unsuitable pictures and for too little memory.
//
// Package fit runs a [Trainer], builds a model from its stages, and scores it on pictures held out from the training.
package training
