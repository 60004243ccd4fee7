package codec

import (
	"fmt"
	"io"
	"strings"
	"time"

	"nmu/lnmu/internal/state"
)

// Open reads the beginning of a state of some kind: its magic, its note and the identity of the run
// that saved it, which must be the given one.
func Open(r io.Reader, magic, kind, identity string) *Decoder {
	d := NewDecoder(r)
	d.Magic(magic)
	var note []byte
	var got string
	d.Do(state.Named("note", &note), state.Named(kind, &got))
	if d.Err() == nil && got != identity {
		d.Damaged("%s", differs(got, identity))
	}
	return d
}

// Properties returns the lines of an identity: names, each with its value.
func Properties(of ...any) string {
	var b strings.Builder
	for i := 0; i < len(of); i += 2 {
		fmt.Fprintf(&b, "%s %v\n", of[i], of[i+1])
	}
	return b.String()
}

// differs names the first property, one in a line, in which two identities differ.
func differs(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("it is of a run with %q, and this one has %q", g[i], w[i])
		}
	}
	return "it is of a run with other options"
}

// Note reads a state to its end and returns its note. The error wraps ErrDamaged if the state is
// incomplete or damaged.
func Note(r io.Reader, magic string) (note []byte, err error) {
	d := NewDecoder(r)
	d.Magic(magic)
	d.Do(state.Named("note", &note))
	if d.Rest(); d.Err() != nil {
		return nil, d.Err()
	}
	return note, nil
}

// Due returns when the next state is due after one whose saving, which is over, began at a time.
func Due(begun time.Time, every time.Duration) time.Time {
	const wait = 19 // times as long as saving took
	now := time.Now()
	if every > 0 {
		now = now.Add(max(every, wait*now.Sub(begun)))
	}
	return now
}
