package report

// Index finds measurements without an axis.
type Index map[key]Measurement

type key struct{ group, name, series string } // name is that of the case

// Index returns the index of the measurements.
func (r *Report) Index() Index {
	x := Index{}
	for _, m := range r.Measurements {
		x[key{m.Group, m.Case, m.Series}] = m
	}
	return x
}

// Find returns the measurement of a case by this program. It reports false if there is none, or
// if the median is not positive.
func (x Index) Find(group, name string) (Measurement, bool) {
	m, ok := x.FindBy(group, name, "nmu")
	return m, ok && m.Median > 0
}

// FindBy returns the measurement of a case by the given series.
func (x Index) FindBy(group, name, series string) (Measurement, bool) {
	m, ok := x[key{group, name, series}]
	return m, ok
}
