// Package synthetic makes random pictures of what people draw, write and take off their screens: text,
// lines, curves, charts, dialogs, cartoons, patterns and pixel art, no two alike. Models learn from
// them what photographs do not show.
package synthetic
