// Package work makes a factorization of the matrix in a file. A [Plan] says what is asked, a
// [Start] where it starts, a [Job] where the matrix is. [Factor] chooses one of four ways: a
// dense or a sparse matrix, in memory or on disk. Each of several processes may have a part of
// it. The estimates say how much memory a computation takes before anything is read.
package work
