// Package scaling predicts how long an iteration of a method takes on a number of
// machines, for a dense matrix of any size.
//
// The longer side of M (L lines of S numbers) is shared out; a machine has a part of M
// and of the state N or G, its part of the long factor (r x L), and the short factor
// (r x S) whole. A HALS step is a pass over the part, a sum over the machines of
// H N and H Hᵀ (r S + r² numbers), and a sweep of the short factor, which every machine
// makes for itself. So for T steps, with the state, and numbers of b bytes:
//
//	           operations                          bytes
//	products   4 T r for each entry of the part    M once, the state T times read and
//	update     2 r + 2 for each entry                once written, or, by the augmented
//	sweeps     2 T r² for each line and column       Lagrangian, both T times and it
//	Gram       T r (r+1) for each                    once written; NMF reads M
//	exchange   T log2 P messages one after the other, of (r S + r²) b bytes each, in
//	           both directions; where P is no power of two, 2 T ⌈log2 P⌉ of them
//
// (Method.Cost, Method.Messages). The processor takes operations / rate and the memory
// bytes / bandwidth. In a pass of rank one, which goes through the rows as they lie, it is
// the longer of both that counts. In another the product that is first to touch a block
// waits for it, and the others find it in cache: there the two add up, as measurements
// show. A disk from which comes what the memory does not hold works beside that, and the
// exchange comes after it (Method.Iteration). The rate is the part of the peak of
// multiply-adds that the method reaches on a matrix in cache. It is measured, as the rest
// is of a machine at hand (package bench); of any other it is stated (Kind).
//
// What is left out: the handing over between threads (some microseconds for each pass),
// and what the sums over the threads of a machine cost. Where an iteration takes less
// than a millisecond they are not small.
package scaling
