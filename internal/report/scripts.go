package report

import _ "embed" // the scripts

// Scripts that pages with pictures of different sizes have in common. Each defines
// functions and runs nothing.
var (
	// Viewport defines makeViewport: the part of a scene that is seen, how keys, mouse and
	// fingers move it, and the divider between two pictures.
	//go:embed viewport.js
	Viewport string
	// Bicubic defines enlargeBicubic: a part of a picture as the model bicubic makes it.
	//go:embed bicubic.js
	Bicubic string
)
