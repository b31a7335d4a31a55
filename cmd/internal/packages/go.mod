module superres/cmd/internal/packages

go 1.26.0

require superres v0.0.0-00010101000000-000000000000

replace superres => ../../..
