// Package synthetic draws random pictures like those that people draw, write and copy from their screens: text, lines,
// curves, charts, dialogs, cartoons, patterns and pixel art. From them, models learn what photographs do not show.
package synthetic
