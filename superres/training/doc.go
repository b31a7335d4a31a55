// Package training is what all trainers of stages share: the pictures they learn from, what
// they return, and how they say that pictures or memory do not suffice.
//
// A [Trainer] is a plain value whose fields are its options and whose zero value is the
// recipe of the model that ships. Package fit runs one, scores the result on pictures
// it was not trained on, and makes a model of it.
package training
