// Package scoring is the commands superres eval and superres diff: they score pictures and
// models, and show pictures beside one another.
//
// Eval: evaloptions.go, what the flags ask for; eval.go, one call; models.go, pictures that
// are reduced and enlarged again; files.go, pictures matched by name; table.go, the scores
// and how they are printed. Diff: diffoptions.go; diff.go, one call, picture by picture;
// scene.go, how large each is shown; page.go and page.html, page.css and page.js, the page.
package scoring
