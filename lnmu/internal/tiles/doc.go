// Package tiles has a sparse matrix M cut into tiles: in memory or in files, of one process or
// of several. It knows neither what a pass computes nor what comes of it.
//
//	CSR          M as a caller gives it; a Reader reads it from where it stays
//	Input        the rows, or columns, of M that this process works on
//	  Tiling     them in tiles: slabs of rows, by blocks of columns
//	    Layout   the tiles, and the state beside them, as a team goes over them
//
// A tile has some rows of M, or of its transpose if it is wide, in a block of columns, whose
// vectors of the other factor stay in cache; see tiling.go for the tiles and file.go for their
// files. Which process has which slabs follows from the stored entries (share.go), so that the
// processes first hand out what they have. In memory Redistribute does that. In files a Scan
// counts the entries of a Reader, a delivery brings them to the processes that need them, and a
// sorter puts them in order, from where a writer makes the tiles:
//
//	Reader --> Scan
//	Reader --> delivery ==> sorter --> writer --> tiles
//	Reader ------------------------->             one process, M by its rows
package tiles
