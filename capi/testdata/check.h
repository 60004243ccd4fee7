// check.h has what the test programs share: matrices that lie in any order, and a run.
#ifndef CHECK_H
#define CHECK_H

#include "nmu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(ok)                                                              \
	do {                                                                       \
		if (!(ok)) {                                                           \
			fprintf(stderr, "line %d: %s; %s\n", __LINE__, #ok, last.message); \
			exit(1);                                                           \
		}                                                                      \
	} while (0)

enum { M = 23, N = 17, R = 4, ROOM = 4096, ORDERS = 5 };

static _Thread_local nmu_error last;

// An array in which a matrix lies somewhere; all of the rest must keep its value.
typedef struct { double space[ROOM]; nmu_matrix at; } array;

static inline void *entry(const nmu_matrix *m, int64_t i, int64_t j) {
	return (char *)m->data + (i * m->row_stride + j * m->col_stride) * (m->type == NMU_FLOAT64 ? 8 : 4);
}

// place lays a matrix out: by rows, by columns, with gaps either way, or backwards.
static inline void place(array *a, int64_t type, int64_t rows, int64_t cols, int order) {
	static const int64_t first[ORDERS] = {8, 8, 8, 8, 1500};
	const int64_t down[ORDERS] = {cols, 1, 2 * cols + 3, 2, -cols}, across[ORDERS] = {1, rows, 2, 2 * rows + 5, -1};
	memset(a->space, 0x5a, sizeof a->space);
	nmu_matrix m = {sizeof m, type, rows, cols, down[order], across[order], a->space + first[order]};
	a->at = m;
}

static inline void fill(array *a) {
	for (int i = 0; i < a->at.rows; i++)
		for (int j = 0; j < a->at.cols; j++) {
			double x = (i * i + 3 * i * j + 5 * j) % 7;
			if (a->at.type == NMU_FLOAT64) *(double *)entry(&a->at, i, j) = x;
			else *(float *)entry(&a->at, i, j) = x;
		}
}

// intact reports whether nothing outside the matrix was written, or nothing at all.
static inline int intact(array *a, int anything) {
	array *b = malloc(sizeof *b);
	memcpy(b, a, sizeof *b);
	b->at.data = (char *)b->space + ((char *)a->at.data - (char *)a->space);
	for (int i = 0; anything && i < b->at.rows; i++)
		for (int j = 0; j < b->at.cols; j++) memset(entry(&b->at, i, j), 0x5a, b->at.type == NMU_FLOAT64 ? 8 : 4);
	int ok = 1;
	for (size_t i = 0; i < sizeof b->space; i++) ok &= ((char *)b->space)[i] == 0x5a;
	free(b);
	return ok;
}

typedef struct { array m, v, w; } problem;

static inline problem *new_problem(int64_t type, int order) {
	problem *p = malloc(sizeof *p);
	place(&p->m, type, M, N, order);
	place(&p->v, type, M, R, order);
	place(&p->w, type, R, N, (order + 1) % ORDERS);
	fill(&p->m);
	return p;
}

static inline int run(problem *p, const nmu_options *o, nmu_result *r) {
	memset(&last, 0, sizeof last);
	last.size = sizeof last;
	return nmu_factor(&p->m.at, o, &p->v.at, &p->w.at, r, &last);
}

static inline nmu_options quick(const char *method, const char *options) {
	nmu_options o = {sizeof o, NMU_OPTIONS, method, options, "seed=1,iterations=20,restarts=2"};
	return o;
}

static inline void hash(const nmu_matrix *m, char *hex) { CHECK(nmu_sha256(m, hex, &last) == NMU_OK); }

#endif
