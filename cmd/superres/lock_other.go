//go:build !unix

package main

import "os"

func lock(*os.File) bool { return true }
