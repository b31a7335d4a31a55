// Package scoring is the commands superres eval and superres diff: they score pictures and models, and show pictures
// beside one another.
//
// Eval is in evaloptions.go, its options; eval.go, one call; models.go, which scores models; files.go, which scores
// files matched by name; and table.go, the scores and how they are printed. Diff is in diffoptions.go, its options;
// diff.go, one call; compared.go, which reads and scores the pictures; scene.go, how large each is shown; place.go,
// where they differ most; regions.go, how they are cut into regions; and page.go, page.html and page.css, the page,
// whose scripts are paint.js, which draws, and page.js, which chooses what to draw, with those of package report.
package scoring
