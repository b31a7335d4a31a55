// Package flaws finds out what is wrong with a picture from its samples alone, and mends what can be mended: see
// Examination. examination.go lists the steps in their order, steps.go has their code, and flaws.go the limits.
//
// The packages below it do the work of the steps. Package repair removes repeated samples, salt and pepper, and undoes
// masks, blur and sharpening. Package measure finds noise, palettes and the traces of JPEG files. Package learned
// estimates what samples do not prove. Package pixelart finds pixel art and enlarges it.
package flaws
