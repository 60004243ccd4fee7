#ifndef RUN_H
#define RUN_H

#include <Rinternals.h>

#include "nmu.h"

/* run makes a call of the library on a thread of its own and returns its code, while
 * this thread, which is R's, looks for interrupts and hands every new state of
 * progress to the function told, if that is not R_NilValue. If R leaves by a jump, by
 * an interrupt or an error of told, the flag cancel is set and the call has ended
 * before. */
int run(int (*call)(void *), void *arguments, volatile int32_t *cancel, const nmu_progress *progress, SEXP told);

#endif
