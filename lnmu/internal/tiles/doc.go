// Package tiles holds a sparse matrix M in tiles, in memory or in files, for one process or
// several. It does not know what a pass computes.
//
//	CSR          M in memory, as a caller gives it; a Reader reads M from a file
//	Input        the rows, or columns, of M that this process works on
//	  Tiling     them in tiles: slabs of rows, by blocks of columns
//	    Layout   the tiles and the state of a method, and the passes over them
//
// A tile is some rows of M, or of its transpose if M is wide, in a block of columns. The
// vectors of the other factor for this block stay in cache. See tiling.go for the tiles and
// file.go for their files. The stored entries decide which process has which slabs (share.go),
// so the processes first redistribute M. In memory Redistribute does that. In files a Scan
// counts the entries of a Reader, a delivery brings them to the processes that need them, and a
// sorter puts them in order for the writer of the tiles:
//
//	Reader --> Scan
//	Reader --> delivery ==> sorter --> writer --> tiles
//	Reader ------------------------->             one process, M by its rows
package tiles
