package input

// Sparse is the stored entries of a sparse matrix. Zeros and repeated entries of one place are
// possible.
type Sparse struct {
	Order   Order                                            // of the entries in the file
	Count   int64                                            // of the entries, or 0 if the file does not say
	Single  bool                                             // float32 holds every number
	Entries func() (Entries, error)                          // reads all entries
	Each    func(do func(i, j int32, v float64) error) error // calls do for each entry, in the order of the file
}

// Order is the order of the entries in a file, and the way they are read.
type Order int

const (
	ByRow    Order = iota // row by row; Each streams them
	ByColumn              // column by column; Each streams them
	OneByOne              // in any order; Each streams them
	Held                  // in any order; Open has read them
)

// Entries are the entries of a sparse matrix as its file lists them: by lines with pointers
// (the lines are rows if ByRow, else columns), or one by one. Entries with pointers are read
// anew by each call of Sparse.Entries, so the caller may change them.
type Entries struct {
	ByRow bool
	Ptr   []int     // line i is minor[ptr[i]:ptr[i+1]]; nil if one by one
	Major []int32   // the line of each entry if one by one
	Minor []int32   // place within the line
	Val   []float64 // nil if all are 1
	Ones  bool      // Add keeps no Val, since all are 1
}

// Add adds an entry to entries one by one: j is its place in line i. It makes room as Grown does.
func (e *Entries) Add(f *File, i, j int32, v float64, guess, most int64) (err error) {
	if len(e.Minor) == cap(e.Minor) {
		if e.Major, err = Grown(f, e.Major, 1, guess, most); err == nil {
			e.Minor, err = Grown(f, e.Minor, 1, guess, most)
		}
		if err == nil && !e.Ones {
			e.Val, err = Grown(f, e.Val, 1, guess, most)
		}
		if err != nil {
			return err
		}
	}
	e.Major, e.Minor = append(e.Major, i), append(e.Minor, j)
	if !e.Ones {
		e.Val = append(e.Val, v)
	}
	return nil
}

// Kept returns a Sparse whose entries Open has read.
func Kept(e *Entries) *Sparse {
	return &Sparse{Order: Held, Count: int64(len(e.Minor)), Entries: func() (Entries, error) { return *e, nil }, Each: e.Each}
}

// Each calls do for each entry.
func (e *Entries) Each(do func(i, j int32, v float64) error) error {
	put := func(line int32, k int) error {
		v := 1.0
		if e.Val != nil {
			v = e.Val[k]
		}
		if e.ByRow {
			return do(line, e.Minor[k], v)
		}
		return do(e.Minor[k], line, v)
	}
	if e.Ptr == nil {
		for k, line := range e.Major {
			if err := put(line, k); err != nil {
				return err
			}
		}
		return nil
	}
	for line := range len(e.Ptr) - 1 {
		for k := e.Ptr[line]; k < e.Ptr[line+1]; k++ {
			if err := put(int32(line), k); err != nil {
				return err
			}
		}
	}
	return nil
}
