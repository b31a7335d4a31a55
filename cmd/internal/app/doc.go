// Package app holds the commands that have no package of their own yet.
package app
