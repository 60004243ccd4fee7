// Package model keeps the basis of a factorization with what the weights of new columns need, and
// reads and writes it.
//
//	lnmu.Factor --> Result --> Of --> Model --> Transform (new columns) --> weights
//	                                  |   ^
//	                             Save v   | Read
//	                     a .npz file, or the folder of nmu factor --out
//
// The file holds V as V.npy, and the rest as model.json in the words of result.json:
//
//	f = numpy.load("parts.npz"); f["V"]; json.loads(f["model.json"])
package model
