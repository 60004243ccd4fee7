package group

import (
	"errors"
	"fmt"
	"unsafe"
)

// ErrProcess is wrapped by an error whose cause is in another process.
var ErrProcess = errors.New("another process")

// Comm connects the processes of a group. All methods are called in the same order by
// the processes that take part in them, from one goroutine.
type Comm interface {
	Rank() int // number of this process, from 0
	Size() int // number of processes

	// Exchange sends a message to a partner and receives one of exactly len(receive)
	// bytes from it. Either may be empty; then there is no such message.
	Exchange(partner int, send, receive []byte)

	// Broadcast copies data of process 0 to all processes.
	Broadcast(data []byte)
}

// Self is the group of one process.
type Self struct{}

// Rank is 0.
func (Self) Rank() int { return 0 }

// Size is 1.
func (Self) Size() int { return 1 }

// Exchange does nothing: there is no partner.
func (Self) Exchange(int, []byte, []byte) {}

// Broadcast does nothing: there is no other process.
func (Self) Broadcast([]byte) {}

// Or returns c, or Self if c is nil.
func Or(c Comm) Comm {
	if c == nil {
		return Self{}
	}
	return c
}

// Ring lets the processes change data one after the other. Each passes data on to the
// next, and all have the last version in the end.
func Ring(c Comm, data []byte, change func()) {
	rank, last := c.Rank(), c.Size()-1
	if rank > 0 {
		c.Exchange(rank-1, nil, data)
	}
	change()
	if rank < last {
		c.Exchange(rank+1, data, nil)
	}
	toFirst(c, last, data)
	c.Broadcast(data)
}

// toFirst sends data of a process to process 0.
func toFirst(c Comm, from int, data []byte) {
	switch c.Rank() {
	case from:
		if from > 0 {
			c.Exchange(0, data, nil)
		}
	case 0:
		c.Exchange(from, nil, data)
	}
}

// Pairwise calls trade for every process, this one included. Two partners call trade for each
// other in the same round.
func Pairwise(c Comm, trade func(partner int)) {
	for round, size := 0, c.Size(); round < size; round++ {
		trade((round - c.Rank() + size) % size)
	}
}

// Agree returns an error in all processes if one of them has one: its own error, or an
// ErrProcess that names the first process with an error and quotes it.
func Agree(c Comm, err error) error {
	if c.Size() == 1 {
		return err
	}
	const none = -1
	first := struct{ process, size int }{none, 0} // with an error, and the size of its text
	Ring(c, Bytes(&first), func() {
		if err != nil && first.process == none {
			first.process, first.size = c.Rank(), len(err.Error())
		}
	})
	if first.process == none {
		return nil
	}
	said := make([]byte, first.size)
	if c.Rank() == first.process {
		copy(said, err.Error())
	}
	toFirst(c, first.process, said)
	c.Broadcast(said)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: process %d: %s", ErrProcess, first.process, said)
}

// Bytes returns the memory of x. x must hold no pointers, and must not be a field or an element
// of a value that does: cgo refuses memory beside a pointer.
func Bytes[E any](x *E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x))
}

// Memory returns the memory of elements that hold no pointers.
func Memory[E any](x []E) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}
