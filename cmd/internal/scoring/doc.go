// Package scoring is the commands superres eval and superres diff: they score pictures and
// models, and show pictures beside one another.
//
// Eval: evaloptions.go, what the flags ask for; eval.go, one call; models.go, pictures that
// are reduced and enlarged again; files.go, pictures matched by name; table.go, the scores
// and how they are printed. Diff: diffoptions.go; diff.go, one call; compared.go, picture by
// picture; scene.go, how large each is shown; place.go, where they differ most; regions.go,
// how they are cut and what the page has room for; page.go, page.html and page.css, the
// page, with paint.js, how it draws pictures, and page.js, what it shows, by the scripts of
// package report that other pages have as well.
package scoring
