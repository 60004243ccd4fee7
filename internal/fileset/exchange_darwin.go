package fileset

import "golang.org/x/sys/unix"

// exchangeFolders lets two folders change places in one step.
func exchangeFolders(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
