// Package scaling predicts the time of an iteration of a method on several machines, for a
// dense matrix of any size.
//
// The machines share the longer side of M (L lines of S numbers). A machine has a part of M, of
// the state N or G, and of the long factor (r x L), and all of the short factor (r x S). A HALS
// step is a pass over the part, a sum over the machines of H N and H Hᵀ (r S + r² numbers), and
// a sweep of the short factor, which every machine repeats. For T steps, with the state, and
// numbers of b bytes:
//
//	           operations                          bytes
//	products   4 T r for each entry of the part    M once, the state T times read and
//	update     2 r + 2 for each entry                once written, or, by the augmented
//	sweeps     2 T r² for each line and column       Lagrangian, both T times and it
//	Gram       T r (r+1) for each                    once written; NMF reads M
//	exchange   T log2 P messages one after the other, of (r S + r²) b bytes each, in
//	           both directions; where P is no power of two, 2 T ⌈log2 P⌉ of them
//
// See Method.Cost and Method.Messages. The processor takes operations / rate, and the memory
// takes bytes / bandwidth. In a pass of rank one, which reads the rows in order, the longer of
// both times counts. In other passes the product that first touches a block waits for it, and
// the other products find it in cache. There both times add up, as measurements show. A disk,
// for data beyond the memory, works at the same time, and the exchange follows
// (Method.Iteration). The rate is the fraction of the peak of multiply-adds that the method
// reaches on a matrix in cache. Package bench measures it, and the other numbers of the machine
// at hand. The numbers of other machines are stated (Kind).
//
// The model leaves out the synchronization of threads (some microseconds for each pass) and the
// sums over the threads of a machine. For iterations of less than a millisecond they matter.
package scaling
