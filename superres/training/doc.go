// Package training is what all trainers of stages share: the pictures they learn from, what they
// return, and how they say that pictures or memory do not suffice.
//
// Package fit runs a [Trainer], makes a model of what it learned, and scores that on pictures that
// were held out.
package training
