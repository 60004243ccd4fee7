// refusals tests what libnmu refuses before it reads an entry: sizes of structs and
// layouts of matrices. With an argument it makes the first call of a process instead.
#include "check.h"

#define INSIDE(size, type, field) ((size) > offsetof(type, field) && (size) < offsetof(type, field) + sizeof((type *)0)->field)

// ends says whether a struct of 8-byte fields can be of a size, where it has no others.
static int ends(size_t size) { return size >= sizeof size && size % 8 == 0; }

// sizes: a struct that ends between two fields is one of an older header, and one that
// ends inside a field, of which a part would be read or written, is refused.
static void sizes(void) {
	problem *p = new_problem(NMU_FLOAT64, 0);
	for (size_t size = 0; size <= sizeof(nmu_options); size++) {
		nmu_options o = quick("nmf", "");
		o.size = size;
		CHECK(run(p, &o, NULL) == (ends(size) && size > offsetof(nmu_options, version) ? NMU_OK : NMU_EARGUMENT));
	}
	// Options of other versions, such as those that began with the method, a flag or a seed, are refused
	// before they are read.
	const int64_t second[] = {(int64_t)(intptr_t)"nmf", 0, 1, NMU_OPTIONS + 1, -1};
	struct { size_t size; int64_t words[30]; } before = {.size = sizeof before};
	for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
		before.words[0] = second[i], before.words[1] = before.words[2] = 50;
		CHECK(run(p, (nmu_options *)&before, NULL) == NMU_EARGUMENT && strstr(last.message, "build a program again that"));
	}
	nmu_options o = quick("nmf", "");
	o.size = offsetof(nmu_options, method_options) + 4;
	CHECK(run(p, &o, NULL) == NMU_EARGUMENT && strstr(last.message, "the struct of the options") && strstr(last.message, "inside the field method_options"));
	o.size = sizeof o;
	// An array whose length the struct ends before, and a number in its place.
	nmu_block block;
	nmu_result cut = {.size = offsetof(nmu_result, block_capacity), .block = &block};
	CHECK(run(p, &o, &cut) == NMU_EARGUMENT && strstr(last.message, "ends before block_capacity") && strstr(last.message, "build it again"));
	cut.size = sizeof cut, cut.block = (nmu_block *)7;
	CHECK(run(p, &o, &cut) == NMU_EARGUMENT && strstr(last.message, "block in the struct of the result is 7"));
	nmu_input in = {"mask", &p->m.at};
	o.inputs = &in, o.size = offsetof(nmu_options, input_count);
	CHECK(run(p, &o, NULL) == NMU_EARGUMENT && strstr(last.message, "ends before input_count"));
	o.inputs = NULL, o.input_count = 3, o.size = sizeof o;
	CHECK(run(p, &o, NULL) == NMU_EARGUMENT && strstr(last.message, "input_count is 3 and inputs is NULL"));
	o.input_count = 0;
	for (size_t size = 0; size <= sizeof(nmu_result); size++) {
		struct { nmu_result r; char beyond[8]; } x;
		memset(&x, 0, sizeof x);
		x.r.size = size;
		int fits = ends(size) && !INSIDE(size, nmu_result, stop) && !INSIDE(size, nmu_result, missing_solver) && !INSIDE(size, nmu_result, level) && !INSIDE(size, nmu_result, notes);
		CHECK(run(p, &o, &x.r) == (fits ? NMU_OK : NMU_EARGUMENT));
		for (size_t i = fits ? size : sizeof size; i < sizeof x; i++) CHECK(((char *)&x)[i] == 0);
	}
	for (size_t size = 0; size <= sizeof(nmu_matrix); size++) {
		nmu_matrix m = p->m.at;
		m.size = size;
		CHECK(nmu_factor(&m, &o, &p->v.at, &p->w.at, NULL, &last) == (size == sizeof m ? NMU_OK : NMU_EARGUMENT) ||
			(last.code == NMU_ESHAPE && ends(size))); // no columns
		CHECK(ends(size) || strstr(last.message, "begins with its size"));
	}
	for (size_t size = 0; size <= sizeof(nmu_error); size++) {
		nmu_error e;
		memset(&e, 0x5a, sizeof e);
		e.size = size;
		int fits = ends(size) && !INSIDE(size, nmu_error, matrix) && !INSIDE(size, nmu_error, message);
		CHECK(nmu_factor(NULL, &o, &p->v.at, &p->w.at, NULL, &e) == NMU_EARGUMENT);
		for (size_t i = fits ? size : sizeof size; i < sizeof e; i++) CHECK(((char *)&e)[i] == 0x5a);
		if (size == sizeof e) CHECK(!strcmp(e.message, "bad argument: M is NULL"));
	}
	for (size_t size = 0; size <= sizeof(nmu_progress); size++) {
		nmu_progress x;
		memset(&x, 0, sizeof x);
		x.size = size, o.progress = &x;
		CHECK(run(p, &o, NULL) == (ends(size) ? NMU_OK : NMU_EARGUMENT));
		for (size_t i = ends(size) ? size : sizeof size; i < sizeof x; i++) CHECK(((char *)&x)[i] == 0);
	}
	for (size_t size = 0; size <= sizeof(nmu_info); size++) {
		nmu_info x;
		memset(&x, 0, sizeof x);
		x.size = size;
		int fits = ends(size) && !INSIDE(size, nmu_info, version) && !INSIDE(size, nmu_info, level);
		CHECK(nmu_about(&x, &last) == (fits ? NMU_OK : NMU_EARGUMENT));
		for (size_t i = fits ? size : sizeof size; i < sizeof x; i++) CHECK(((char *)&x)[i] == 0);
	}
	free(p);
}

// layouts: what reaches beyond the address space is refused, wherever it is given.
static void layouts(void) {
	problem *p = new_problem(NMU_FLOAT64, 0);
	nmu_options o = quick("nmf", NULL);
	char hex[65];
	uint8_t mask[M * N];
	double weights[M * N];
	memset(mask, 1, sizeof mask);
	for (int i = 0; i < M * N; i++) weights[i] = 1;
	const nmu_matrix given[] = {p->m.at, p->v.at, p->w.at, {sizeof *given, NMU_UINT8, M, N, N, 1, mask}, {sizeof *given, NMU_FLOAT64, M, N, N, 1, weights}};
	const int64_t far[] = {100000000000000000, -100000000000000000, 1LL << 45, -(1LL << 45), 1LL << 61, 1LL << 62, INT64_MAX, INT64_MIN, INT64_MIN + 1, (INT64_MAX >> 3) / 22};
	for (int which = 0; which < 5; which++)
		for (size_t k = 0; k < 3 * sizeof far / sizeof *far; k++) {
			nmu_matrix a[5];
			memcpy(a, given, sizeof a);
			if (k % 3 != 1) a[which].row_stride = far[k / 3];
			if (k % 3 != 0) a[which].col_stride = far[k / 3];
			nmu_input in = {which == 3 ? "mask" : "weights", &a[which]};
			o.inputs = &in, o.input_count = which > 2;
			CHECK(nmu_factor(&a[0], &o, &a[1], &a[2], NULL, &last) == NMU_ESHAPE && strstr(last.message, "beyond the address space"));
			nmu_options t = {sizeof t, NMU_OPTIONS, .inputs = o.inputs, .input_count = o.input_count};
			CHECK(nmu_transform(&a[1], &a[0], &t, &a[2], NULL, &last) == NMU_ESHAPE);
			if (which < 3) CHECK(nmu_sha256(&a[which], hex, &last) == NMU_ESHAPE);
		}
	nmu_matrix m = p->m.at; // no copy of this has room, although it lies in one place
	m.rows = m.cols = 1LL << 30, m.row_stride = m.col_stride = 0;
	CHECK(nmu_sha256(&m, hex, &last) == NMU_ESHAPE);
	m = p->m.at, m.data = (void *)8192, m.row_stride = -100 * m.row_stride;
	CHECK(nmu_sha256(&m, hex, &last) == NMU_ESHAPE); // before address 0
	m.data = (void *)64;
	CHECK(nmu_sha256(&m, hex, &last) == NMU_EARGUMENT && strstr(last.message, "data in the struct of M is 64, which is no address"));
	m.data = (void *)-64, m.row_stride = N;
	CHECK(nmu_sha256(&m, hex, &last) == NMU_ESHAPE); // behind the last one
	CHECK(intact(&p->v, 0) && intact(&p->w, 0));

	// Of one row or one column the stride may be anything, and is not looked at.
	char want[2][65], got[65];
	for (size_t k = 0; k <= sizeof far / sizeof *far; k++)
		for (int wide = 0; wide < 2; wide++) {
			array v, w;
			nmu_matrix one = p->m.at;
			place(&v, NMU_FLOAT64, wide ? 1 : M, 1, 0), place(&w, NMU_FLOAT64, 1, wide ? N : 1, 0);
			*(wide ? &one.rows : &one.cols) = 1;
			if (k > 0) {
				*(wide ? &one.row_stride : &one.col_stride) = far[k - 1];
				v.at.col_stride = w.at.row_stride = far[k - 1];
			}
			CHECK(nmu_factor(&one, NULL, &v.at, &w.at, NULL, &last) == NMU_OK && intact(&v, 1) && intact(&w, 1));
			hash(&v.at, k ? got : want[wide]);
			CHECK(!k || !strcmp(got, want[wide]));
			nmu_transform_result r = {sizeof r};
			CHECK(nmu_transform(&v.at, &one, NULL, &w.at, &r, &last) == NMU_OK && r.relative_error < 1);
			CHECK(nmu_improve(&one, NULL, &v.at, &w.at, NULL, &last) == NMU_OK && intact(&v, 1) && intact(&w, 1));
		}
	free(p);

	// The arrays of a sparse matrix.
	int32_t pointers[] = {0, 2, 3, 5}, indices[] = {1, 2, 0, 1, 2};
	double values[] = {1, 1, 1, 1, 1};
	const nmu_csr good = {sizeof good, NMU_FLOAT64, NMU_INT32, NMU_INT32, 3, 3, 5, pointers, indices, values};
	array v, w;
	place(&v, NMU_FLOAT64, 3, 2, 0), place(&w, NMU_FLOAT64, 2, 3, 0);
	o.input_count = 0;
	const int64_t entries[] = {-1, 4, 6, 1LL << 45, 1LL << 58, 1LL << 61, INT64_MAX, INT64_MIN};
	for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
		nmu_csr c = good;
		c.entries = entries[k], c.index_type = NMU_INT32 + k % 2;
		CHECK(nmu_factor_csr(&c, &o, &v.at, &w.at, NULL, &last) == NMU_ESHAPE);
		int64_t rows[3], cols[3];
		CHECK(nmu_biclique_csr(&c, NULL, rows, cols, &(nmu_biclique_result){sizeof(nmu_biclique_result)}, &last) == NMU_ESHAPE);
	}
	const void *high = (void *)(UINTPTR_MAX - 7);
	for (int which = 0; which < 3; which++) {
		nmu_csr c = good;
		*(which == 0 ? &c.pointers : which == 1 ? &c.indices : &c.values) = high;
		CHECK(nmu_factor_csr(&c, &o, &v.at, &w.at, NULL, &last) == NMU_ESHAPE && strstr(last.message, "beyond the address space"));
	}
	CHECK(intact(&v, 0) && intact(&w, 0));

	// Room for more than there is is not looked at, nor are more blocks than V has columns.
	nmu_block blocks[2];
	double errors[10];
	nmu_result r = {.size = sizeof r, .block = blocks, .block_capacity = INT64_MAX, .history = errors, .history_capacity = INT64_MAX};
	o = quick("rnmu", NULL), o.settings = "record=true,iterations=50,init=nested,restarts=1";
	CHECK(nmu_factor_csr(&good, &o, &v.at, &w.at, &r, &last) == NMU_OK && r.blocks == 2 && blocks[1].rank == 2 && r.history_length == 10);
	o.settings = "continue=true,init=nested", r.blocks = INT64_MAX;
	CHECK(nmu_factor_csr(&good, &o, &v.at, &w.at, &r, &last) == NMU_EARGUMENT && strstr(last.message, "V has 2 columns"));
	nmu_model model = {.size = sizeof model, .names = hex, .names_length = INT64_MAX};
	CHECK(nmu_model_save("/nowhere/model", &v.at, &model, &last) == NMU_ESHAPE && strstr(last.message, "beyond the address space"));
	double map[1];
	nmu_rank_result ranks = {.size = sizeof ranks, .consensus = map, .consensus_capacity = INT64_MAX};
	nmu_matrix column = {sizeof column, NMU_FLOAT64, 5, 1, 1, 1, values};
	o = quick("nmf", NULL), o.settings = "ranks=1,folds=1,restarts=2,iterations=5,consensus=true";
	CHECK(nmu_rank(&column, &o, &ranks, &last) == NMU_OK && ranks.consensus_columns == 1 && map[0] == 1);
	o.settings = "ranks=1:1000000 1:1000000 1:1000000";
	CHECK(nmu_rank(&column, &o, &ranks, &last) == NMU_EOPTION && strstr(last.message, "choose fewer"));

	// A sparse matrix is checked by every call.
	const int32_t bad_indices[][5] = {{-4, 2, 0, 1, 2}, {1, 1000000000, 0, 1, 2}, {2, 1, 0, 1, 2}, {1, 1, 0, 1, 2}}, bad_pointers[][4] = {{0, 9, 3, 5}, {0, -1, 3, 5}, {0, 4, 3, 5}};
	for (int k = 0; k < 7; k++) {
		nmu_csr c = good;
		if (k < 4) c.indices = bad_indices[k];
		else c.pointers = bad_pointers[k - 4];
		o = quick(NULL, NULL), o.settings = "iterations=5";
		nmu_consensus_result runs = {.size = sizeof runs};
		nmu_biclique_result found = {.size = sizeof found};
		array ww, mw;
		place(&ww, NMU_FLOAT64, 2, 2, 0), place(&mw, NMU_FLOAT64, 3, 2, 0);
		fill(&v), fill(&w), fill(&ww), fill(&mw);
		int64_t rows[3], cols[3];
		CHECK(nmu_factor_csr(&c, &o, &v.at, &w.at, NULL, &last) == NMU_ESHAPE);
		CHECK(nmu_improve_csr(&c, &o, &v.at, &w.at, NULL, &last) == NMU_ESHAPE);
		CHECK(nmu_transform_csr(&v.at, &c, &o, &w.at, NULL, &last) == NMU_ESHAPE);
		CHECK(nmu_update_csr(&v.at, &c, &o, &ww.at, &mw.at, &w.at, NULL, &last) == NMU_ESHAPE);
		CHECK(nmu_biclique_csr(&c, NULL, rows, cols, &found, &last) == NMU_ESHAPE);
		o.settings = "ranks=1:2,folds=2";
		CHECK(nmu_rank_csr(&c, &o, &ranks, &last) == NMU_ESHAPE);
		o.settings = "ranks=1:2,runs=2";
		CHECK(nmu_consensus_csr(&c, &o, &runs, &last) == NMU_ESHAPE);
	}
}

// first is the first call of a process, of rank 1, with and without a result.
static void first(int with_result) {
	array m, v, w;
	place(&m, NMU_FLOAT64, 4, 3, 0), place(&v, NMU_FLOAT64, 4, 1, 0), place(&w, NMU_FLOAT64, 1, 3, 0);
	fill(&m);
	nmu_block block;
	nmu_result r = {.size = sizeof r, .block = &block, .block_capacity = 1};
	CHECK(nmu_factor(&m.at, NULL, &v.at, &w.at, with_result ? &r : NULL, &last) == NMU_OK && intact(&v, 1) && intact(&w, 1));
	CHECK(!with_result || (r.blocks == 1 && block.rank == 1 && block.relative_error == r.relative_error));
	puts("ok");
}

int main(int argc, char **argv) {
	last.size = sizeof last;
	if (argc > 1) first(!strcmp(argv[1], "result"));
	else sizes(), layouts(), puts("ok");
	return 0;
}
