// Package anchored is a stage that chooses a linear map for each patch by its nearest
// anchor, and the trainer of cascades of such stages.
//
// The way of a picture: Apply in stage.go lays rows of the input out so that patches can be
// cut (grid.go); patch.go brings patches into canonical form (form.go), tile by tile
// (tile.go), finds their anchors (search.go), applies the regressors, which are bytes
// (pack.go), and brings the blocks back; grid.go averages these.
//
// The way of a training matrix: train.go learns one stage after the other; data.go keeps
// the pictures as the stages so far restore them; basis.go finds the bases and the anchors
// from a sample of patches; fit.go sums normal equations over all of them and solves these
// for the regressors; partial.go keeps what an interrupted run has learned.
package anchored
