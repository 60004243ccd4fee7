/* The functions that R calls. Matrices of R lie by columns, so that their entries have
 * the strides 1 and the number of rows, and nothing is copied. */
#include "run.h"

#include <R_ext/Rdynload.h>
#include <string.h>

static nmu_matrix matrix(SEXP x) {
	nmu_matrix m = {sizeof m, NMU_FLOAT64, nrows(x), ncols(x), 1, nrows(x), REAL(x)};
	return m;
}

/* bytes describes the mask of the options. */
static nmu_matrix bytes(SEXP x) {
	nmu_matrix m = {sizeof m, NMU_UINT8, nrows(x), ncols(x), 1, nrows(x), RAW(x)};
	return m;
}

/* input is a matrix of R, or a sparse one as a list of p, j, x and dim. */
typedef struct {
	int sparse;
	nmu_matrix dense;
	nmu_csr csr;
} input;

static SEXP element(SEXP list, const char *name) {
	SEXP names = getAttrib(list, R_NamesSymbol);
	for (R_xlen_t i = 0; i < XLENGTH(list); i++)
		if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
	return R_NilValue;
}

static const char *text(SEXP list, const char *name) {
	SEXP x = element(list, name);
	return x == R_NilValue ? NULL : CHAR(asChar(x));
}

/* chosen are the options of a call, with the matrices that they need. */
typedef struct {
	nmu_options options;
	nmu_matrix matrices[4];
	nmu_input inputs[4];
} chosen;

/* choose fills in the options of a list, whose element matrices is a list with names of settings. */
static void choose(chosen *c, SEXP options, volatile int32_t *cancel, nmu_progress *progress) {
	SEXP further = element(options, "matrices"), names = getAttrib(further, R_NamesSymbol);
	nmu_options o = {
		.size = sizeof o, .method = text(options, "method"), .method_options = text(options, "method_options"),
		.settings = text(options, "settings"), .inputs = c->inputs, .cancel = cancel, .progress = progress,
	};
	for (R_xlen_t i = 0; i < length(further) && i < 4; i++) {
		SEXP x = VECTOR_ELT(further, i);
		if (x == R_NilValue) continue;
		nmu_input *in = &c->inputs[o.input_count];
		c->matrices[o.input_count] = TYPEOF(x) == RAWSXP ? bytes(x) : matrix(x);
		in->matrix = &c->matrices[o.input_count++];
		in->name = CHAR(STRING_ELT(names, i));
	}
	c->options = o;
}

static input input_of(SEXP m) {
	input in = {.sparse = isNewList(m)};
	if (!in.sparse) {
		in.dense = matrix(m);
		return in;
	}
	SEXP x = element(m, "x"), dim = element(m, "dim");
	nmu_csr csr = {sizeof csr, NMU_FLOAT64, NMU_INT32, NMU_INT32, INTEGER(dim)[0], INTEGER(dim)[1], XLENGTH(x),
		INTEGER(element(m, "p")), INTEGER(element(m, "j")), REAL(x)};
	in.csr = csr;
	return in;
}

static int rows_of(const input *in) { return in->sparse ? in->csr.rows : in->dense.rows; }
static int cols_of(const input *in) { return in->sparse ? in->csr.cols : in->dense.cols; }

/* refusal is what R makes a condition of; rows and columns count from 1. */
static SEXP refusal(const nmu_error *e) {
	const char *names[] = {"code", "message", "matrix", "row", "col", "value", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	SET_VECTOR_ELT(list, 0, ScalarInteger(e->code));
	SET_VECTOR_ELT(list, 1, ScalarString(mkCharCE(e->message, CE_UTF8)));
	SET_VECTOR_ELT(list, 2, mkString(e->matrix));
	SET_VECTOR_ELT(list, 3, ScalarReal(e->row + 1));
	SET_VECTOR_ELT(list, 4, ScalarReal(e->col + 1));
	SET_VECTOR_ELT(list, 5, ScalarReal(e->value));
	UNPROTECT(1);
	return list;
}

typedef struct {
	int (*dense)(const nmu_matrix *, const nmu_options *, const nmu_matrix *, const nmu_matrix *, nmu_result *, nmu_error *);
	input m;
	nmu_matrix v, w;
	chosen given;
	nmu_result result;
	nmu_error error;
} factoring;

static int factor(void *data) {
	factoring *f = data;
	if (f->m.sparse) return nmu_factor_csr(&f->m.csr, &f->given.options, &f->v, &f->w, &f->result, &f->error);
	return f->dense(&f->m.dense, &f->given.options, &f->v, &f->w, &f->result, &f->error);
}

/* factored makes the call with V and W, and returns them with what is said of them. */
static SEXP factored(factoring *f, SEXP v, SEXP w, SEXP options) {
	volatile int32_t cancel = 0;
	nmu_progress progress = {sizeof progress};
	nmu_block *block = (nmu_block *)R_alloc(ncols(v) + 1, sizeof *block);
	nmu_result r = {.size = sizeof r, .block = block, .block_capacity = ncols(v) + 1};
	nmu_error e = {sizeof e};
	choose(&f->given, options, &cancel, &progress);
	f->v = matrix(v), f->w = matrix(w), f->result = r, f->error = e;
	if (run(factor, f, &cancel, &progress, element(options, "progress")) < 0) return refusal(&f->error);

	const char *names[] = {"V", "W", "rank", "relative_error", "relative_l1", "max_violation", "violation_bound",
		"largest_entry", "stop", "seed", "restart", "restarts", "iterations", "revived", "blocks", "relative_divergence", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	r = f->result;
	int64_t n = r.blocks < r.block_capacity ? r.blocks : r.block_capacity;
	SET_VECTOR_ELT(list, 0, v);
	SET_VECTOR_ELT(list, 1, w);
	SET_VECTOR_ELT(list, 2, ScalarReal(r.rank));
	SET_VECTOR_ELT(list, 3, ScalarReal(r.relative_error));
	SET_VECTOR_ELT(list, 4, ScalarReal(r.relative_l1));
	SET_VECTOR_ELT(list, 5, ScalarReal(r.max_violation));
	SET_VECTOR_ELT(list, 6, ScalarLogical(r.violation_bound != 0));
	SET_VECTOR_ELT(list, 7, ScalarReal(r.largest_entry));
	SET_VECTOR_ELT(list, 8, mkString(r.stop));
	SET_VECTOR_ELT(list, 9, ScalarReal(r.seed));
	SET_VECTOR_ELT(list, 10, ScalarReal(r.best_restart));
	SET_VECTOR_ELT(list, 11, ScalarReal(r.restarts_finished));
	SET_VECTOR_ELT(list, 12, ScalarReal(r.iterations));
	SET_VECTOR_ELT(list, 13, ScalarReal(r.revived));
	const char *columns[] = {"rank", "iterations", "relative_error", "relative_l1", ""};
	SEXP blocks = PROTECT(mkNamed(VECSXP, columns));
	for (int k = 0; k < 4; k++) SET_VECTOR_ELT(blocks, k, allocVector(REALSXP, n));
	for (int64_t i = 0; i < n; i++) {
		double values[] = {block[i].rank, block[i].iterations, block[i].relative_error, block[i].relative_l1};
		for (int k = 0; k < 4; k++) REAL(VECTOR_ELT(blocks, k))[i] = values[k];
	}
	SET_VECTOR_ELT(list, 14, blocks);
	SET_VECTOR_ELT(list, 15, ScalarReal(r.relative_divergence));
	UNPROTECT(2);
	return list;
}

/* start returns a matrix for results: a copy of the one that is given, if any. */
static SEXP start(SEXP given, int rows, int cols) {
	return given == R_NilValue ? allocMatrix(REALSXP, rows, cols) : duplicate(given);
}

SEXP nmu_r_factor(SEXP m, SEXP rank, SEXP v, SEXP w, SEXP options) {
	factoring f = {.dense = nmu_factor, .m = input_of(m)};
	v = PROTECT(start(v, rows_of(&f.m), asInteger(rank)));
	w = PROTECT(start(w, asInteger(rank), cols_of(&f.m)));
	SEXP list = factored(&f, v, w, options);
	UNPROTECT(2);
	return list;
}

SEXP nmu_r_improve(SEXP m, SEXP v, SEXP w, SEXP options) {
	factoring f = {.dense = nmu_improve, .m = input_of(m)};
	v = PROTECT(duplicate(v));
	w = PROTECT(duplicate(w));
	SEXP list = factored(&f, v, w, options);
	UNPROTECT(2);
	return list;
}

typedef struct {
	input m;
	nmu_matrix v, w;
	chosen given;
	nmu_transform_result result;
	nmu_error error;
} transforming;

static int transform(void *data) {
	transforming *t = data;
	if (t->m.sparse) return nmu_transform_csr(&t->v, &t->m.csr, &t->given.options, &t->w, &t->result, &t->error);
	return nmu_transform(&t->v, &t->m.dense, &t->given.options, &t->w, &t->result, &t->error);
}

SEXP nmu_r_transform(SEXP v, SEXP m, SEXP options) {
	volatile int32_t cancel = 0;
	transforming t = {.v = matrix(v), .m = input_of(m)};
	SEXP w = PROTECT(allocMatrix(REALSXP, ncols(v), cols_of(&t.m)));
	choose(&t.given, options, &cancel, NULL);
	t.w = matrix(w);
	t.result.size = sizeof t.result;
	t.error.size = sizeof t.error;
	SEXP result = run(transform, &t, &cancel, NULL, R_NilValue) < 0 ? refusal(&t.error) : w;
	UNPROTECT(1);
	return result;
}

SEXP nmu_r_measures(SEXP m, SEXP v, SEXP w) {
	nmu_matrix mm = matrix(m), vv = matrix(v), ww = matrix(w);
	nmu_measures x = {sizeof x};
	nmu_error e = {sizeof e};
	if (nmu_metrics(&mm, &vv, &ww, &x, &e) < 0) return refusal(&e);
	const char *names[] = {"relative_error", "max_violation", "scale", "scaled_error", "basis_zeros", "weight_zeros",
		"basis_hoyer", "weight_hoyer", ""};
	double values[] = {x.relative_error, x.max_violation, x.scale, x.scaled_error, x.basis_zeros, x.weight_zeros,
		x.basis_hoyer, x.weight_hoyer};
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	for (int i = 0; i < LENGTH(list); i++) SET_VECTOR_ELT(list, i, ScalarReal(values[i]));
	UNPROTECT(1);
	return list;
}

typedef struct {
	input m;
	int64_t *rows, *cols;
	chosen given;
	nmu_biclique_result result;
	nmu_error error;
} search;

static int find(void *data) {
	search *s = data;
	if (s->m.sparse) return nmu_biclique_csr(&s->m.csr, &s->given.options, s->rows, s->cols, &s->result, &s->error);
	return nmu_biclique(&s->m.dense, &s->given.options, s->rows, s->cols, &s->result, &s->error);
}

/* places returns so many numbers, from 1. */
static SEXP places(const int64_t *from, int64_t n) {
	SEXP to = allocVector(INTSXP, n);
	for (int64_t i = 0; i < n; i++) INTEGER(to)[i] = from[i] + 1;
	return to;
}

SEXP nmu_r_biclique(SEXP m, SEXP options) {
	volatile int32_t cancel = 0;
	search s = {.m = input_of(m)};
	choose(&s.given, options, &cancel, NULL);
	s.result.size = sizeof s.result;
	s.error.size = sizeof s.error;
	s.rows = (int64_t *)R_alloc(rows_of(&s.m) + 1, sizeof *s.rows);
	s.cols = (int64_t *)R_alloc(cols_of(&s.m) + 1, sizeof *s.cols);
	if (run(find, &s, &cancel, NULL, R_NilValue) < 0) return refusal(&s.error);
	const char *names[] = {"rows", "cols", "edges", "bound", "start", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	SET_VECTOR_ELT(list, 0, places(s.rows, s.result.rows));
	SET_VECTOR_ELT(list, 1, places(s.cols, s.result.cols));
	SET_VECTOR_ELT(list, 2, ScalarReal(s.result.edges));
	SET_VECTOR_ELT(list, 3, ScalarReal(s.result.bound));
	SET_VECTOR_ELT(list, 4, ScalarReal(s.result.start));
	UNPROTECT(1);
	return list;
}

SEXP nmu_r_sha256(SEXP x) {
	char hex[65];
	nmu_matrix m = matrix(x);
	nmu_error e = {sizeof e};
	return nmu_sha256(&m, hex, &e) < 0 ? refusal(&e) : mkString(hex);
}

SEXP nmu_r_info(void) {
	nmu_info i = {sizeof i};
	nmu_error e = {sizeof e};
	if (nmu_about(&i, &e) < 0) return refusal(&e);
	const char *names[] = {"version", "level", "threads", "methods", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	SET_VECTOR_ELT(list, 0, mkString(i.version));
	SET_VECTOR_ELT(list, 1, mkString(i.level));
	SET_VECTOR_ELT(list, 2, ScalarInteger(i.threads));
	SET_VECTOR_ELT(list, 3, ScalarString(mkCharCE(i.methods, CE_UTF8)));
	UNPROTECT(1);
	return list;
}

static const R_CallMethodDef functions[] = {
	{"factor", (DL_FUNC)&nmu_r_factor, 5},
	{"improve", (DL_FUNC)&nmu_r_improve, 4},
	{"transform", (DL_FUNC)&nmu_r_transform, 3},
	{"measures", (DL_FUNC)&nmu_r_measures, 3},
	{"biclique", (DL_FUNC)&nmu_r_biclique, 2},
	{"sha256", (DL_FUNC)&nmu_r_sha256, 1},
	{"info", (DL_FUNC)&nmu_r_info, 0},
	{NULL, NULL, 0},
};

void R_init_nmu(DllInfo *dll) {
	R_registerRoutines(dll, NULL, functions, NULL, NULL);
	R_useDynamicSymbols(dll, FALSE);
	R_forceSymbols(dll, TRUE);
}
