package mnist

// Table1Digit is a test picture of Table 1 in "Dictionary Learning Using Rank-One Projection (ROP)", which enlarges
// four MNIST digits from 14×14 to 28×28.
type Table1Digit struct {
	// Digit is the digit that the picture shows.
	Digit uint8
	// LowError is the error of the low-resolution picture in the table, to four decimals.
	LowError float64
	// Index is the number of the picture that this package uses: the first of Candidates.
	Index int
	// Candidates are the numbers of all pictures of the digit with the error LowError, ascending.
	Candidates []int
}

// Table1 returns the digits in the order of the table. Indices count from 0 in MNIST's training file: see [Verify].
//
// The table does not say which pictures it shows; Candidates were found by its numbers. Its low-resolution column is
// the relative squared error ‖Î − I‖²/‖I‖² of the nearest-neighbour enlargement: Î is I with every 2×2 block replaced
// by its mean. Candidates are all training pictures of the digit with this error, rounded to four decimals. There are
// several for each digit, and the table does not distinguish them, so the first picture is used by convention.
func Table1() [4]Table1Digit {
	return [4]Table1Digit{ // digit, error in the table, index of the picture, candidates
		{5, 0.1038, 39114, []int{39114, 52284}},
		{0, 0.0900, 10523, []int{10523, 11597, 34381, 48173, 52438}},
		{9, 0.1292, 3760, []int{3760, 18138, 38992, 59006}},
		{2, 0.0977, 2065, []int{2065, 6327, 49181}},
	}
}
