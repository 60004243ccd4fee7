#ifndef RUN_H
#define RUN_H

#include <Rinternals.h>
#include <stddef.h>

#include "nmu.h"

/* field is a field of a struct of the library: what R calls it, and where it lies. */
typedef struct {
	const char *name;
	size_t at;
	enum { WHOLE, NUMBER, YES, WORD, TEXT } type; /* a WORD is an array, a TEXT a pointer */
} field;

#define FIELD(of, name, type) {#name, offsetof(of, name), type}
#define LENGTH_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/* columns returns a list with a vector for each field of an array of structs of some size. */
SEXP columns(const field *fields, int n, const void *from, size_t size, R_xlen_t count);

/* FIELDS_OF returns the fields of a struct for results as a list, and ARRAY_OF those of an array
 * of structs as a list of vectors. */
#define FIELDS_OF(fields, from) columns(fields, LENGTH_OF(fields), from, sizeof *(from), 1)
#define ARRAY_OF(fields, from, n) columns(fields, LENGTH_OF(fields), from, sizeof *(from), n)

/* progress_of returns a state of a call as a list. */
SEXP progress_of(const nmu_progress *progress);

/* store writes such vectors, as far as the list has them, to an array. */
void store(const field *fields, int n, void *to, size_t size, R_xlen_t count, SEXP list);

/* element returns the element of a list of that name, or R_NilValue. */
SEXP element(SEXP list, const char *name);

/* run makes a call of the library on a thread of its own and returns its code, while
 * this thread, which is R's, looks for interrupts and hands every new state of
 * progress to the function told, if that is not R_NilValue. If R leaves by a jump, by
 * an interrupt or an error of told, the flag cancel is set and the call has ended
 * before. */
int run(int (*call)(void *), void *arguments, volatile int32_t *cancel, const nmu_progress *progress, SEXP told);

#endif
