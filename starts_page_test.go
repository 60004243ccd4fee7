package nmu

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/render"
)

// started is docs/starts.json, which python/bench/starts.py writes.
type started struct {
	Processor, Level string
	Threads, Seeds   int
	ScikitLearn      string `json:"scikit_learn"`
	Problems         []startedProblem
}

// startedProblem is a matrix and what a method makes of it from each start.
type startedProblem struct {
	Name, Method        string
	Rows, Columns, Rank int
	Starts              []startedLine
}

// startedLine is the points of one program from one start.
type startedLine struct {
	Program, Start string
	Points         []struct {
		Iterations         int
		Seconds, Distances []float64 // of each seed
	}
}

// median returns the median of x.
func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// at returns the median and the largest distance after some seconds. Between two points both are
// interpolated along the logarithm of the time. A point takes no longer than the next one, whatever
// was measured. ok is false if not even the first point ends so soon.
func (l *startedLine) at(seconds float64) (middle, worst float64, ok bool) {
	times := make([]float64, len(l.Points))
	next := math.Inf(1)
	for k, p := range slices.Backward(l.Points) {
		next = min(next, median(p.Seconds))
		times[k] = math.Log(next)
	}
	now := math.Log(seconds)
	for k, p := range l.Points {
		m, w := median(p.Distances), slices.Max(p.Distances)
		if times[k] > now {
			if ok {
				part := (now - times[k-1]) / (times[k] - times[k-1])
				middle, worst = middle+part*(m-middle), worst+part*(w-worst)
			}
			break
		}
		middle, worst, ok = m, w, true
	}
	return middle, worst, ok
}

// least returns the least distance of all points.
func (p *startedProblem) least() float64 {
	least := math.Inf(1)
	for _, l := range p.Starts {
		for _, at := range l.Points {
			least = min(least, slices.Min(at.Distances))
		}
	}
	return least
}

// TestStartsPage: the tables and the plot of docs/starts.md are those of docs/starts.json.
func TestStartsPage(t *testing.T) {
	const from = "starts.json"
	text := must.Get(os.ReadFile("docs/" + from))(t)
	var s started
	must.Do(t, json.Unmarshal(text, &s))
	page := readPage(t, "docs/starts.md")
	columns := []string{"nmu random", "nmu trials", "nmu svd", "nmu spa", "nmu snpa", "scikit-learn random", "scikit-learn nndsvd", "scikit-learn nndsvda"}
	for _, method := range []string{"nmf", "kl"} {
		for _, time := range []string{"few", "many"} {
			var b strings.Builder
			fmt.Fprintln(&b, "| M | r | seconds | least | random | trials | `svd` | `spa` | `snpa` | random | nndsvd | nndsvda |")
			fmt.Fprintln(&b, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
			sums, counts := make([]float64, len(columns)), make([]int, len(columns))
			for _, p := range s.Problems {
				if p.Method != method {
					continue
				}
				least := p.least()
				random := p.Starts[0].Points
				point := random[len(random)-1]
				if time == "few" {
					point = random[2]
				}
				seconds := median(point.Seconds)
				fmt.Fprintf(&b, "| %s | %d | %s | %.2f |", p.Name, p.Rank, render.Number(seconds), 100*least)
				for k, l := range p.Starts {
					if l.Program+" "+l.Start != columns[k] {
						t.Fatalf("column %d is %s %s, want %s", k, l.Program, l.Start, columns[k])
					}
					middle, worst, ok := l.at(seconds)
					above := 100 * (middle - least)
					switch {
					case !ok:
						fmt.Fprint(&b, " - |")
						continue
					case len(l.Points[0].Seconds) > 1:
						fmt.Fprintf(&b, " %.2f (%.2f) |", above, 100*(worst-least))
					default:
						fmt.Fprintf(&b, " %.2f |", above)
					}
					sums[k] += above
					counts[k]++
				}
				fmt.Fprintln(&b)
			}
			fmt.Fprint(&b, "| mean | | | |")
			for k, sum := range sums {
				if counts[k] == counts[0] {
					fmt.Fprintf(&b, " %.2f |", sum/float64(counts[k]))
				} else {
					fmt.Fprint(&b, " |")
				}
			}
			fmt.Fprintln(&b)
			page = fill(t, page, method+" "+time, from, b.String())
		}
	}
	page = fill(t, page, "measured", from, fmt.Sprintf("%s, %s kernels, %s, float64, scikit-learn %s, %d random starts of nmu and %d of scikit-learn.\n",
		s.Processor, s.Level, render.Plural(s.Threads, "thread"), s.ScikitLearn, s.Seeds, max(1, s.Seeds/5)))
	for _, p := range s.Problems {
		if p.Name != "topics" || p.Method != "kl" {
			continue
		}
		lines := make([]render.Line, len(p.Starts))
		for k, l := range p.Starts {
			lines[k].Name = l.Program + ", " + l.Start
			for _, at := range l.Points {
				lines[k].Points = append(lines[k].Points, render.Spread{X: median(at.Seconds), Y: median(at.Distances)})
			}
		}
		plot := logPlot(t, "Starts of kl, topics", "seconds", "relative divergence, median", lines)
		compare(t, "docs/starts.svg", from, plot)
	}
	compare(t, "docs/starts.md", from, []byte(page))
}

// TestDefaultsPage: by default nmu is never more than 0.5 % above the best of ten runs of scikit-learn on the matrices of
// docs/solvers.md, and README.md has the largest number.
func TestDefaultsPage(t *testing.T) {
	_, rest, _ := strings.Cut(readPage(t, "docs/solvers.md"), "<!-- defaults: from python/bench/defaults.py -->")
	table, _, _ := strings.Cut(rest, "<!-- end -->")
	worst, rows := math.Inf(-1), 0
	for line := range strings.Lines(table) {
		var above float64
		if cells := strings.Split(line, "|"); len(cells) == 10 {
			if _, err := fmt.Sscan(cells[7], &above); err == nil {
				worst, rows = max(worst, above), rows+1
			}
		}
	}
	if rows != 29 || worst > 0.5 {
		t.Errorf("%d rows, of which one is %.2f %% above", rows, worst)
	}
	if says := fmt.Sprintf("at most %.2f %% above the best of ten", worst); !strings.Contains(readPage(t, "README.md"), says) {
		t.Errorf("README.md does not say %q", says)
	}
}
