package rules

import (
	"flag"
	"fmt"
	"html"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/internal/must"
)

var update = flag.Bool("update", false, "draw testdata/architecture.svg again")

// TestPicture draws the imports: a band for each floor, a box for each folder of at most two names with all below
// it, and a line from a box to each that it imports and reaches in no other way. Boxes of internal, which most others
// import, say how many do.
func TestPicture(t *testing.T) {
	const file = root + "/testdata/architecture.svg"
	want := drawImports(must.Get(load(root, goList(t, "").Path))(t))
	if *update {
		must.Succeed(t, os.WriteFile(file, []byte(want), 0o666))
	}
	if got := string(must.Get(os.ReadFile(filepath.FromSlash(file)))(t)); got != want {
		t.Error("architecture.svg shows other imports: 'go test ./internal/rules -run Picture -update' draws it again")
	}
}

func drawImports(pkgs map[string]*pkg) string {
	boxOf := func(p string) string {
		parts := strings.Split(strings.TrimPrefix(p, "./"), "/")
		if parts[len(parts)-1] == "learning" { // it stands above what it trains
			return strings.Join(parts, "/")
		}
		return strings.Join(parts[:min(len(parts), 2)], "/")
	}
	imports := map[string]map[string]bool{} // of boxes
	importers := map[string]int{}
	for name, p := range pkgs {
		if len(p.files) == 0 || strings.HasSuffix(name, "test") {
			continue
		}
		from := boxOf(name)
		if imports[from] == nil {
			imports[from] = map[string]bool{}
		}
		for _, i := range p.imports {
			if to := boxOf(i); strings.HasPrefix(i, "./") && to != from && !imports[from][to] {
				imports[from][to] = true
				importers[to]++
			}
		}
	}
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		for i := range imports[from] {
			if i == to || reaches(i, to) {
				return true
			}
		}
		return false
	}
	level := map[string]int{}
	var levelOf func(box string) int
	levelOf = func(box string) int {
		if _, is := level[box]; !is {
			level[box] = 0
			for i := range imports[box] {
				if floorOf(i) == floorOf(box) {
					level[box] = max(level[box], levelOf(i)+1)
				}
			}
		}
		return level[box]
	}
	const width, boxW, boxH, gap = 1240, 145, 30, 10
	at := map[string][2]int{}
	var bands, boxes, lines strings.Builder
	y := 40
	for i := len(floors) - 1; i >= 0; i-- {
		rows := map[int][]string{}
		for _, box := range slices.Sorted(maps.Keys(imports)) {
			if floorOf(box) == i {
				row := levelOf(box)
				if strings.HasPrefix(box, "internal/") && i == 2 {
					row = 0
				}
				rows[row] = append(rows[row], box)
			}
		}
		top := y
		for _, row := range slices.Backward(slices.Sorted(maps.Keys(rows))) {
			for k, box := range rows[row] {
				if k > 0 && k%7 == 0 {
					y += boxH + gap
				}
				x := 120 + k%7*(boxW+gap)
				if i != 2 { // so that lines pass beside boxes
					x = 680 - len(rows[row])*(boxW+gap)/2 + k*(boxW+gap) + y%3*90 - 90
				}
				at[box] = [2]int{x, y}
				label := strings.TrimPrefix(strings.TrimPrefix(box, "superres/"), "internal/")
				if i == 2 {
					label += fmt.Sprintf(" · %d", importers[box])
				}
				fmt.Fprintf(&boxes, "<rect x='%d' y='%d' width='%d' height='%d' rx='5'/>\n", x, y, boxW, boxH)
				fmt.Fprintf(&boxes, "<text x='%d' y='%d'>%s</text>\n", x+boxW/2, y+20, html.EscapeString(label))
			}
			y += boxH + 4*gap
		}
		fmt.Fprintf(&bands, "<rect x='5' y='%d' width='%d' height='%d' class='floor'/><text x='60' y='%d'>%s</text>"+
			"\n", top-15, width-10, y-top-5, top+20, path.Base(floors[i][0]))
	}
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		for _, to := range slices.Sorted(maps.Keys(imports[from])) {
			between := slices.ContainsFunc(slices.Collect(maps.Keys(imports[from])), func(i string) bool {
				return reaches(i, to)
			})
			if a, b := at[from], at[to]; !between && floorOf(to) != 2 && floorOf(from) != 2 {
				fmt.Fprintf(&lines, "<line x1='%d' y1='%d' x2='%d' y2='%d'/>\n", a[0]+boxW/2, a[1]+boxH, b[0]+boxW/2,
					b[1])
			}
		}
	}
	return fmt.Sprintf(`<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' 
font-size='12' text-anchor='middle'><style>rect{fill:#fff;stroke:#456}.floor{fill:#eef2f6;stroke:none}line{stroke:#89a}</style>
<text x='620' y='15'>A line leads down to the imported box. Numbers say how many boxes import a package of internal.</text>
%s%s%s</svg>
`, width, y, bands.String(), lines.String(), boxes.String())
}

// floorOf returns the index of the floor on which a box stands.
func floorOf(box string) (floor int) {
	for i, folders := range floors {
		if within(folders...)("./" + box) {
			floor = i
		}
	}
	return floor
}
