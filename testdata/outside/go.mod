module example.org/outside

go 1.26.0

require (
	gonum.org/v1/gonum v0.17.0
	superres v0.0.0
)

require (
	github.com/disintegration/imaging v1.6.2 // indirect
	golang.org/x/image v0.47.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace superres => ../..
