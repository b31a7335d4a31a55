// Package page has the files of the page that superres serve shows. In index.html the
// server fills in the block of data called settings.
package page

import "embed"

// Files are index.html and what it loads.
//
//go:embed *.html
var Files embed.FS
