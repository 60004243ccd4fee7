//go:build unix

package kerneltest

import "golang.org/x/sys/unix"

// guardPages says whether this system has guard pages.
const guardPages = true

// mapArena maps size bytes between two inaccessible pages. It panics if the
// system refuses.
func mapArena(size, page int) *arena {
	whole, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic("kerneltest: mmap: " + err.Error())
	}
	for _, guard := range [][]byte{whole[:page], whole[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			panic("kerneltest: mprotect: " + err.Error())
		}
	}
	return &arena{mem: whole[page : page+size : page+size], hi: size}
}

// close makes the data of the arena inaccessible.
func (a *arena) close() { a.protect(unix.PROT_NONE) }

// open makes the data of the arena accessible again.
func (a *arena) open() { a.protect(unix.PROT_READ | unix.PROT_WRITE) }

func (a *arena) protect(prot int) {
	if err := unix.Mprotect(a.mem, prot); err != nil {
		panic("kerneltest: mprotect: " + err.Error())
	}
}
