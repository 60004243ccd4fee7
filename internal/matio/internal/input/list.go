package input

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MostListed is how many names a message lists.
const MostListed = 20

// Note appends the name of x to names, or an empty one if List would not print it: names may be
// long, and a small file may hold many.
func Note(names []string, x fmt.Stringer) []string {
	if len(names) < MostListed {
		return append(names, x.String())
	}
	return append(names, "")
}

// List joins names, and shortens a long list.
func List(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) > MostListed {
		names = append(slices.Clone(names[:MostListed]), fmt.Sprintf("and %d more", len(names)-MostListed))
	}
	return strings.Join(names, ", ")
}

// Counted returns a number with what it counts.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// NameBytes is the memory of a name beside its bytes, including what a growing slice of names
// leaves behind.
const NameBytes = 48

// FileBytes is the memory for a file of a folder, without its name.
const FileBytes = 1 << 10

// Files lists the files of the folder that have one of the extensions, without hidden ones, in the order of their names.
func (f *File) Files(extensions ...string) (names []string, err error) {
	list, err := os.ReadDir(f.Path)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		name := e.Name()
		if strings.HasPrefix(name, ".") || e.IsDir() || !slices.Contains(extensions, strings.ToLower(filepath.Ext(name))) {
			continue
		}
		if err := f.Reserve(int64(len(name))+NameBytes+FileBytes, "its list of files"); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.SortFunc(names, Natural)
	return names, nil
}

// Natural compares names, with runs of digits by value. Ties are compared byte by byte.
func Natural(a, b string) int {
	whole := cmp.Compare(a, b)
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		p, q := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if c := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), whole)
}

// digits returns how many digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
