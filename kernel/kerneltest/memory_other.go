//go:build !unix

package kerneltest

// guardPages says whether this system has guard pages.
const guardPages = false

// mapArena returns nil, so that heapArena is used.
func mapArena(size, page int) *arena { return nil }

// close and open do nothing, because no proof is made here.
func (a *arena) close() {}

func (a *arena) open() {}
