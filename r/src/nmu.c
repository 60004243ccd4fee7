/* The functions that R calls. Matrices of R lie by columns, so that their entries have
 * the strides 1 and the number of rows, and nothing is copied. */
#include "run.h"

#include <R_ext/Rdynload.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"

/* matrix describes a matrix of doubles, or of bytes, which is a mask. */
static nmu_matrix matrix(SEXP x) {
	int mask = TYPEOF(x) == RAWSXP;
	nmu_matrix m = {sizeof m, mask ? NMU_UINT8 : NMU_FLOAT64, nrows(x), ncols(x), 1, nrows(x), mask ? (void *)RAW(x) : REAL(x)};
	return m;
}

/* input is a matrix of R, a sparse one as a list of p, j, x and dim, or none, if it is in a file. */
typedef struct {
	int sparse, none;
	nmu_matrix dense;
	nmu_csr csr;
} input;

static const char *text(SEXP list, const char *name) {
	SEXP x = element(list, name);
	return x == R_NilValue ? NULL : CHAR(asChar(x));
}

enum { MOST_INPUTS = 4 }; /* mask, weights, fix_v and fix_w */

/* chosen are the options of a call, with the matrices that they need. */
typedef struct {
	nmu_options options;
	nmu_matrix matrices[MOST_INPUTS];
	nmu_input inputs[MOST_INPUTS];
} chosen;

/* choose fills in the options of a list, whose element matrices is a list with names of settings. */
static void choose(chosen *c, SEXP options, volatile int32_t *cancel, nmu_progress *progress) {
	SEXP further = element(options, "matrices"), names = getAttrib(further, R_NamesSymbol);
	nmu_options o = {
		.size = sizeof o, .method = text(options, "method"), .method_options = text(options, "method_options"),
		.settings = text(options, "settings"), .inputs = c->inputs, .cancel = cancel, .progress = progress,
	};
	for (R_xlen_t i = 0; i < length(further) && i < MOST_INPUTS; i++) {
		c->matrices[i] = matrix(VECTOR_ELT(further, i));
		c->inputs[i].matrix = &c->matrices[i];
		c->inputs[i].name = CHAR(STRING_ELT(names, i));
		o.input_count++;
	}
	c->options = o;
}

static input input_of(SEXP m) {
	input in = {.sparse = isNewList(m) && m != R_NilValue, .none = m == R_NilValue};
	if (in.sparse) {
		SEXP x = element(m, "x"), dim = element(m, "dim");
		nmu_csr csr = {sizeof csr, NMU_FLOAT64, NMU_INT32, NMU_INT32, INTEGER(dim)[0], INTEGER(dim)[1], XLENGTH(x),
			INTEGER(element(m, "p")), INTEGER(element(m, "j")), REAL(x)};
		in.csr = csr;
	} else if (!in.none) {
		in.dense = matrix(m);
	}
	return in;
}

static const nmu_matrix *dense(const input *in) { return in->none ? NULL : &in->dense; }

/* refusal is what R makes a condition of; rows and columns count from 0. */
static SEXP refusal(const nmu_error *e) {
	static const field fields[] = {
		FIELD(nmu_error, code, WHOLE), FIELD(nmu_error, message, WORD), FIELD(nmu_error, matrix, WORD),
		FIELD(nmu_error, row, WHOLE), FIELD(nmu_error, col, WHOLE), FIELD(nmu_error, value, NUMBER),
	};
	return columns(fields, LENGTH_OF(fields), e, sizeof *e, 1);
}

/* warning_of returns what a call without an error says, else an empty text. */
static SEXP warning_of(const nmu_error *e) { return ScalarString(mkCharCE(e->message, CE_UTF8)); }

/* start returns a matrix for results: a copy of the one that is given, if any. */
static SEXP start(SEXP given, int rows, int cols) {
	return given == R_NilValue ? allocMatrix(REALSXP, rows, cols) : duplicate(given);
}

typedef struct {
	int improve;
	input m;
	nmu_matrix v, w;
	chosen given;
	nmu_result result;
	nmu_error error;
} factoring;

static int factor(void *data) {
	factoring *f = data;
	const nmu_options *options = &f->given.options;
	if (f->m.sparse)
		return (f->improve ? nmu_improve_csr : nmu_factor_csr)(&f->m.csr, options, &f->v, &f->w, &f->result, &f->error);
	return (f->improve ? nmu_improve : nmu_factor)(dense(&f->m), options, &f->v, &f->w, &f->result, &f->error);
}

/* The list of options says what the call is, the numbers of rows and columns of M, how many errors
 * to reserve room for, and the blocks to continue. */
SEXP nmu_r_factor(SEXP m, SEXP rank, SEXP v, SEXP w, SEXP options) {
	volatile int32_t cancel = 0;
	nmu_progress progress = {sizeof progress};
	factoring f = {.improve = asLogical(element(options, "improve")), .m = input_of(m), .error = {sizeof f.error}};
	SEXP dim = element(options, "dim"), known = element(options, "known");
	int r = asInteger(rank), blocks = known == R_NilValue ? 0 : length(VECTOR_ELT(known, 0)), errors = asInteger(element(options, "errors"));
	v = PROTECT(start(v, INTEGER(dim)[0], r));
	w = PROTECT(start(w, r, INTEGER(dim)[1]));
	nmu_result result = {.size = sizeof result, .block = (nmu_block *)R_alloc(r + 1, sizeof(nmu_block)), .block_capacity = r + 1,
		.blocks = blocks, .history = (double *)R_alloc(errors + 1, sizeof(double)), .history_capacity = errors};
	memset(result.block, 0, (r + 1) * sizeof *result.block);
	store(block_fields, LENGTH_OF(block_fields), result.block, sizeof *result.block, blocks, known);
	choose(&f.given, options, &cancel, &progress);
	f.v = matrix(v), f.w = matrix(w), f.result = result;
	if (run(factor, &f, &cancel, &progress, element(options, "progress")) < 0) {
		UNPROTECT(2);
		return refusal(&f.error);
	}
	result = f.result;
	const char *names[] = {"V", "W", "result", "blocks", "history", "warning", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	SET_VECTOR_ELT(list, 0, v);
	SET_VECTOR_ELT(list, 1, w);
	SET_VECTOR_ELT(list, 2, columns(result_fields, LENGTH_OF(result_fields), &result, sizeof result, 1));
	SET_VECTOR_ELT(list, 3, columns(block_fields, LENGTH_OF(block_fields), result.block, sizeof *result.block, result.blocks < r + 1 ? result.blocks : r + 1));
	SEXP history = allocVector(REALSXP, result.history_length < errors ? result.history_length : errors);
	SET_VECTOR_ELT(list, 4, history);
	if (XLENGTH(history) > 0) memcpy(REAL(history), result.history, XLENGTH(history) * sizeof(double));
	SET_VECTOR_ELT(list, 5, warning_of(&f.error));
	UNPROTECT(3);
	return list;
}

/* nmu_r_size returns the numbers of rows and columns of the matrix in a file. */
SEXP nmu_r_size(SEXP settings) {
	nmu_options options = {.size = sizeof options, .settings = CHAR(asChar(settings))};
	int64_t rows = 0, cols = 0;
	nmu_error e = {sizeof e};
	if (nmu_size(&options, &rows, &cols, &e) < 0) return refusal(&e);
	SEXP dim = allocVector(REALSXP, 2);
	REAL(dim)[0] = rows, REAL(dim)[1] = cols;
	return dim;
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
	return nmu_transform(&t->v, dense(&t->m), &t->given.options, &t->w, &t->result, &t->error);
}

SEXP nmu_r_transform(SEXP v, SEXP m, SEXP w, SEXP options) {
	volatile int32_t cancel = 0;
	transforming t = {.v = matrix(v), .m = input_of(m), .result = {sizeof t.result}, .error = {sizeof t.error}};
	w = PROTECT(start(w, ncols(v), INTEGER(element(options, "dim"))[1]));
	choose(&t.given, options, &cancel, NULL);
	t.w = matrix(w);
	SEXP list;
	if (run(transform, &t, &cancel, NULL, R_NilValue) < 0) {
		list = refusal(&t.error);
	} else {
		const char *names[] = {"W", "result", "warning", ""};
		list = PROTECT(mkNamed(VECSXP, names));
		SET_VECTOR_ELT(list, 0, w);
		SET_VECTOR_ELT(list, 2, warning_of(&t.error));
		SET_VECTOR_ELT(list, 1, columns(transform_fields, LENGTH_OF(transform_fields), &t.result, sizeof t.result, 1));
		UNPROTECT(1);
	}
	UNPROTECT(1);
	return list;
}

/* nmu_r_save writes a model: text is its method and the options of that, topics whether V is scaled so. */
SEXP nmu_r_save(SEXP path, SEXP v, SEXP text, SEXP topics, SEXP names) {
	nmu_matrix basis = matrix(v);
	nmu_model a = {.size = sizeof a, .topics = asLogical(topics)};
	nmu_error e = {sizeof e};
	if (strlen(CHAR(STRING_ELT(text, 1))) >= sizeof a.method_options) error("nmu: the options of the method are too long for a model");
	snprintf(a.method, sizeof a.method, "%s", CHAR(STRING_ELT(text, 0)));
	snprintf(a.method_options, sizeof a.method_options, "%s", CHAR(STRING_ELT(text, 1)));
	for (R_xlen_t i = 0; i < xlength(names); i++) a.names_length += strlen(CHAR(STRING_ELT(names, i))) + 1;
	char *at = a.names = R_alloc(a.names_length + 1, 1);
	for (R_xlen_t i = 0; i < xlength(names); i++) {
		strcpy(at, CHAR(STRING_ELT(names, i)));
		at += strlen(at) + 1;
	}
	return nmu_model_save(CHAR(asChar(path)), &basis, &a, &e) < 0 ? refusal(&e) : R_NilValue;
}

/* nmu_r_load returns V, the names of its rows, its method and the options of that, and whether it is scaled to topics. */
SEXP nmu_r_load(SEXP path) {
	static const field fields[] = {
		FIELD(nmu_model, method, WORD), FIELD(nmu_model, method_options, WORD), FIELD(nmu_model, topics, YES),
	};
	nmu_model a = {.size = sizeof a};
	nmu_error e = {sizeof e};
	if (nmu_model_load(CHAR(asChar(path)), NULL, &a, &e) < 0) return refusal(&e);
	if (a.rows > INT_MAX || a.rank > INT_MAX) error("nmu: the basis is %.0f x %.0f, more than a matrix of R has", (double)a.rows, (double)a.rank);
	const char *parts[] = {"V", "names", "about", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, parts));
	SET_VECTOR_ELT(list, 0, allocMatrix(REALSXP, a.rows, a.rank));
	nmu_matrix basis = matrix(VECTOR_ELT(list, 0));
	int64_t room = a.names_length, rows = a.rows;
	a.names = R_alloc(room + 1, 1), a.names_capacity = room;
	if (nmu_model_load(CHAR(asChar(path)), &basis, &a, &e) < 0) {
		UNPROTECT(1);
		return refusal(&e);
	}
	if (a.names_length > room) error("nmu: the model was replaced while it was read; read it again");
	if (a.names_length > 0) {
		SEXP names = allocVector(STRSXP, rows);
		SET_VECTOR_ELT(list, 1, names);
		const char *at = a.names;
		for (int64_t i = 0; i < rows; i++, at += strlen(at) + 1) SET_STRING_ELT(names, i, mkCharCE(at, CE_UTF8));
	}
	SET_VECTOR_ELT(list, 2, columns(fields, LENGTH_OF(fields), &a, sizeof a, 1));
	UNPROTECT(1);
	return list;
}

SEXP nmu_r_measures(SEXP m, SEXP v, SEXP w) {
	static const field fields[] = {
		FIELD(nmu_measures, relative_error, NUMBER), FIELD(nmu_measures, max_violation, NUMBER), FIELD(nmu_measures, scale, NUMBER),
		FIELD(nmu_measures, scaled_error, NUMBER), FIELD(nmu_measures, basis_zeros, NUMBER), FIELD(nmu_measures, weight_zeros, NUMBER),
		FIELD(nmu_measures, basis_hoyer, NUMBER), FIELD(nmu_measures, weight_hoyer, NUMBER),
	};
	nmu_matrix mm = matrix(m), vv = matrix(v), ww = matrix(w);
	nmu_measures x = {sizeof x};
	nmu_error e = {sizeof e};
	return nmu_metrics(&mm, &vv, &ww, &x, &e) < 0 ? refusal(&e) : columns(fields, LENGTH_OF(fields), &x, sizeof x, 1);
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
	return nmu_biclique(dense(&s->m), &s->given.options, s->rows, s->cols, &s->result, &s->error);
}

/* places returns so many numbers, from 1. */
static SEXP places(const int64_t *from, int64_t n) {
	SEXP to = allocVector(INTSXP, n);
	for (int64_t i = 0; i < n; i++) INTEGER(to)[i] = from[i] + 1;
	return to;
}

SEXP nmu_r_biclique(SEXP m, SEXP options) {
	static const field fields[] = {
		FIELD(nmu_biclique_result, edges, WHOLE), FIELD(nmu_biclique_result, bound, WHOLE), FIELD(nmu_biclique_result, start, WHOLE),
	};
	volatile int32_t cancel = 0;
	search s = {.m = input_of(m), .result = {sizeof s.result}, .error = {sizeof s.error}};
	int *dim = INTEGER(element(options, "dim"));
	choose(&s.given, options, &cancel, NULL);
	s.rows = (int64_t *)R_alloc(dim[0] + 1, sizeof *s.rows);
	s.cols = (int64_t *)R_alloc(dim[1] + 1, sizeof *s.cols);
	if (run(find, &s, &cancel, NULL, R_NilValue) < 0) return refusal(&s.error);
	const char *names[] = {"rows", "cols", "result", "warning", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	SET_VECTOR_ELT(list, 3, warning_of(&s.error));
	SET_VECTOR_ELT(list, 0, places(s.rows, s.result.rows));
	SET_VECTOR_ELT(list, 1, places(s.cols, s.result.cols));
	SET_VECTOR_ELT(list, 2, columns(fields, LENGTH_OF(fields), &s.result, sizeof s.result, 1));
	UNPROTECT(1);
	return list;
}

typedef struct {
	input m;
	chosen given;
	nmu_rank_result result;
	nmu_error error;
} comparison;

static int compare(void *data) {
	comparison *c = data;
	if (c->m.sparse) return nmu_rank_csr(&c->m.csr, &c->given.options, &c->result, &c->error);
	return nmu_rank(dense(&c->m), &c->given.options, &c->result, &c->error);
}

/* The consensus matrices are an array with as many rows and columns as side says, 0 for none. */
SEXP nmu_r_rank(SEXP m, SEXP ranks, SEXP side, SEXP options) {
	volatile int32_t cancel = 0;
	nmu_progress progress = {sizeof progress};
	int n = asInteger(ranks), width = asInteger(side);
	comparison c = {.m = input_of(m), .result = {sizeof c.result}, .error = {sizeof c.error}};
	SEXP consensus = PROTECT(alloc3DArray(REALSXP, width, width, n));
	for (R_xlen_t i = 0; i < XLENGTH(consensus); i++) REAL(consensus)[i] = NA_REAL;
	c.result.point = (nmu_rank_point *)R_alloc(n, sizeof(nmu_rank_point));
	c.result.point_capacity = n;
	c.result.consensus = REAL(consensus);
	c.result.consensus_capacity = XLENGTH(consensus);
	choose(&c.given, options, &cancel, &progress);
	if (run(compare, &c, &cancel, &progress, element(options, "progress")) < 0) {
		UNPROTECT(1);
		return refusal(&c.error);
	}
	const char *names[] = {"result", "points", "consensus", "warning", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	SET_VECTOR_ELT(list, 0, columns(rank_fields, LENGTH_OF(rank_fields), &c.result, sizeof c.result, 1));
	SET_VECTOR_ELT(list, 1, columns(point_fields, LENGTH_OF(point_fields), c.result.point, sizeof *c.result.point, c.result.points < n ? c.result.points : n));
	SET_VECTOR_ELT(list, 2, consensus);
	SET_VECTOR_ELT(list, 3, warning_of(&c.error));
	UNPROTECT(2);
	return list;
}

/* nmu_r_topics returns V, W and the mixtures. */
SEXP nmu_r_topics(SEXP v, SEXP w) {
	const char *names[] = {"V", "W", "mixtures", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	SET_VECTOR_ELT(list, 0, duplicate(v));
	SET_VECTOR_ELT(list, 1, duplicate(w));
	SET_VECTOR_ELT(list, 2, duplicate(w));
	nmu_matrix each[3];
	for (int i = 0; i < 3; i++) each[i] = matrix(VECTOR_ELT(list, i));
	nmu_error e = {sizeof e};
	if (nmu_topics(&each[0], &each[1], &each[2], &e) < 0) list = refusal(&e);
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
	static const field fields[] = {
		FIELD(nmu_info, version, WORD), FIELD(nmu_info, level, WORD), FIELD(nmu_info, threads, WHOLE),
		FIELD(nmu_info, methods, TEXT), FIELD(nmu_info, settings, TEXT), FIELD(nmu_info, results, TEXT),
	};
	nmu_info i = {sizeof i};
	nmu_error e = {sizeof e};
	return nmu_about(&i, &e) < 0 ? refusal(&e) : columns(fields, LENGTH_OF(fields), &i, sizeof i, 1);
}

static const R_CallMethodDef functions[] = {
	{"factor", (DL_FUNC)&nmu_r_factor, 5},
	{"size", (DL_FUNC)&nmu_r_size, 1},
	{"transform", (DL_FUNC)&nmu_r_transform, 4},
	{"save", (DL_FUNC)&nmu_r_save, 5},
	{"load", (DL_FUNC)&nmu_r_load, 1},
	{"measures", (DL_FUNC)&nmu_r_measures, 3},
	{"biclique", (DL_FUNC)&nmu_r_biclique, 2},
	{"rank", (DL_FUNC)&nmu_r_rank, 4},
	{"topics", (DL_FUNC)&nmu_r_topics, 2},
	{"sha256", (DL_FUNC)&nmu_r_sha256, 1},
	{"info", (DL_FUNC)&nmu_r_info, 0},
	{NULL, NULL, 0},
};

void R_init_nmu(DllInfo *dll) {
	R_registerRoutines(dll, NULL, functions, NULL, NULL);
	R_useDynamicSymbols(dll, FALSE);
	R_forceSymbols(dll, TRUE);
}
