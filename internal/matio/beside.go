package matio

import "slices"

// OpenBeside opens a further matrix for a caller that works on f, such as weights. It may take the memory that f
// leaves, and ends with the context of f. What Table.Beside returns holds for its tables, too. Beside lists its notes.
func (f *File) OpenBeside(path string, opt Options) (*File, error) {
	opt.MaxMemory, opt.InUse, opt.Context, opt.Library = f.in.Limit, f.in.Used, f.in.Context, f.in.Library
	opt.Grey = f.opt.Grey
	missing := opt.Table.Missing
	opt.Table = f.opt.Table.Beside()
	opt.Table.Missing, opt.further = missing, true
	further, err := Open(path, opt)
	if err != nil {
		return nil, err
	}
	if opt.Alike && opt.Table.RowLabels == "" && further.in.RowNames != nil && len(further.in.ColNames) < len(f.in.ColNames) {
		opt.Table.RowLabels = Absent
		whole, err := Open(path, opt)
		if err == nil && whole.in.Rows == f.in.Rows && slices.Equal(whole.in.ColNames, f.in.ColNames) {
			further, whole = whole, further
		}
		if err == nil {
			whole.Close()
		}
	}
	if further.Guessed() {
		f.noteBeside(path, further.Reading())
	}
	return further, nil
}

// noteBeside adds a note about another file, unless it was read before.
func (f *File) noteBeside(path, note string) {
	if note = path + ": " + note; !slices.Contains(f.beside, note) {
		f.beside = append(f.beside, note)
	}
}

// Beside returns the notes of the files of OpenBeside and EachLine, with their paths.
func (f *File) Beside() []string { return f.beside }

// AtClose adds do to what Close does before it closes f.
func (f *File) AtClose(do func()) { f.atClose = append(f.atClose, do) }
