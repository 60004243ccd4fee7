package report

// Verdict says whether a measured number meets its bar.
type Verdict string

// The verdicts.
const (
	Meets      Verdict = "meets"
	FallsShort Verdict = "falls short"
	Unmeasured Verdict = "not measured"
)

// Check is one requirement with its measured value.
type Check struct {
	Name    string  `json:"name"` // the same in all reports; see bench.Check
	What    string  `json:"what"` // in words
	Unit    string  `json:"unit,omitempty"`
	Value   float64 `json:"value"`
	Bar     float64 `json:"bar"`
	AtMost  bool    `json:"at_most"`         // whether the bar is an upper bound
	Noise   float64 `json:"noise,omitempty"` // relative tolerance of a bar that asks for equality
	Ratio   float64 `json:"ratio"`           // how far the bar is met: at least 1 if it is
	Verdict Verdict `json:"verdict"`
	Note    string  `json:"note,omitempty"`
}
