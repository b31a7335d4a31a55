// Package training has what all trainers of stages share: their interface, the pictures they learn from, their
// results, and the errors for unsuitable pictures and for too little memory.
//
// Package fit runs a [Trainer], makes a model of its stages, and scores it on pictures held out from the training.
package training
