package fileset

import "golang.org/x/sys/unix"

// exchangeFolders exchanges two folders atomically.
func exchangeFolders(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
