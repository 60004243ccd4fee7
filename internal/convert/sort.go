package convert

import (
	"cmp"
	"slices"
)

// sorter sorts entries by row and column, stably. If memory is too small, sorted runs go to a
// temporary file and are merged.
type sorter struct {
	*job
	most  int // records in memory at once
	held  []record
	spare []record
	runs  []run
	out   *runWriter // of these
	n     int64      // of all entries
}

// record is an entry. The upper half of key is its row, the lower half its column.
type record struct {
	key uint64
	v   float64
}

func (r record) row() int { return int(r.key >> 32) }
func (r record) col() int { return int(uint32(r.key)) }

const recordBytes = 16

// add adds an entry.
func (s *sorter) add(i, j int32, v float64) error {
	if s.n++; s.n%elementChunk == 0 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
	}
	most := max(1, s.most/2) // the other half is for sorting
	if len(s.held) == most {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if n := len(s.held); n == cap(s.held) {
		grown := make([]record, n, min(max(2*n, elementChunk), most))
		copy(grown, s.held)
		s.held = grown
	}
	s.held = append(s.held, record{uint64(i)<<32 | uint64(j), v})
	return nil
}

// fewRecords are too few to count their bytes.
const fewRecords = 256

// sort sorts the records in memory, many by one byte of the keys after the other, from the lowest.
func (s *sorter) sort() {
	byKey := func(a, b record) int { return cmp.Compare(a.key, b.key) }
	if len(s.held) < fewRecords || slices.IsSortedFunc(s.held, byKey) {
		slices.SortStableFunc(s.held, byKey)
		return
	}
	if cap(s.spare) < len(s.held) {
		s.spare = make([]record, cap(s.held))
	}
	from, to := s.held, s.spare[:len(s.held)]
	for shift := 0; shift < 64; shift += 8 {
		var first [256]int
		for _, r := range from {
			first[byte(r.key>>shift)]++
		}
		if first[byte(from[0].key>>shift)] == len(from) {
			continue // they all have the same
		}
		at := 0
		for b, n := range first {
			first[b] = at
			at += n
		}
		for _, r := range from {
			b := byte(r.key >> shift)
			to[first[b]] = r
			first[b]++
		}
		from, to = to, from
	}
	s.held, s.spare = from, to
}

// spill writes the records in memory as a run.
func (s *sorter) spill() error {
	s.sort()
	if s.out == nil {
		file, err := s.temp()
		if err != nil {
			return err
		}
		s.out = &runWriter{w: newWriter(file)}
	}
	for _, r := range s.held {
		if err := s.out.add(r); err != nil {
			return err
		}
	}
	s.held = s.held[:0]
	s.runs = append(s.runs, s.out.end())
	return nil
}

// each calls do for all entries in order. The sorter is empty afterwards.
func (s *sorter) each(do func(r record) error) error {
	if s.runs == nil {
		s.sort()
		for _, r := range s.held {
			if err := do(r); err != nil {
				return err
			}
		}
		s.held = s.held[:0]
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.held, s.spare = nil, nil
	most := max(2, int(s.Memory/4/runBuffer))
	for len(s.runs) > most {
		if err := s.mergeSome(most); err != nil {
			return err
		}
	}
	if err := s.out.w.Flush(); err != nil {
		return err
	}
	if err := s.merge(s.runs, do); err != nil {
		return err
	}
	file := s.out.w.file
	s.runs, s.out = nil, nil
	return s.removeTemp(file)
}

// mergeSome merges most neighbouring runs at a time into one.
func (s *sorter) mergeSome(most int) error {
	if err := s.out.w.Flush(); err != nil {
		return err
	}
	file, err := s.temp()
	if err != nil {
		return err
	}
	old := s.out.w.file
	s.out = &runWriter{w: newWriter(file)}
	var merged []run
	for len(s.runs) > 0 {
		n := min(most, len(s.runs))
		if err := s.merge(s.runs[:n], s.out.add); err != nil {
			return err
		}
		merged = append(merged, s.out.end())
		s.runs = s.runs[n:]
	}
	s.runs = merged
	return s.removeTemp(old)
}
