// Package drawings draws what people draw, write and take off their screens: text, lines,
// curves, charts, dialogs, cartoons, patterns and pixel art, as much of it as wanted and no
// two alike. It is what models learn from that photographs do not show.
package drawings
