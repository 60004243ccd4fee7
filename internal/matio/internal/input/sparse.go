package input

// Sparse is the stored entries of a sparse matrix. Zeros and several entries of one place
// are possible.
type Sparse interface {
	// Entries reads them.
	Entries() (Entries, error)
	// Each calls do for each of them, in the order of the file.
	Each(do func(i, j int32, v float64) error) error
	// Count returns how many there are, 0 if the file does not say so.
	Count() int64
	// Order says in which order the file has them.
	Order() Order
	// Single says whether float32 holds every number.
	Single() bool
}

// Order is the order of the entries in a file, with how they are read from it.
type Order int

const (
	ByRow    Order = iota // row by row, and each reads them so
	ByColumn              // column by column, and each reads them so
	OneByOne              // in any order, and each reads them so
	AtOnce                // column by column, and each reads them all before
	Held                  // in any order, and Open has read them
)

// Entries are the elements of a sparse matrix as its file lists them: by lines
// (rows if byRow, else columns) with pointers, or one by one. Those with pointers
// are read anew for each call of Sparse.Entries, so they may be changed.
type Entries struct {
	ByRow bool
	Ptr   []int     // line i is minor[ptr[i]:ptr[i+1]]; nil if one by one
	Major []int32   // the line of each entry if one by one
	Minor []int32   // place within the line
	Val   []float64 // nil if all are 1
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
