/* The functions that R calls. Matrices of R lie by columns, so that their entries have
 * the strides 1 and the number of rows, and nothing is copied. */
#include "run.h"

#include <R_ext/Rdynload.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"

/* FIELDS_OF returns the fields of a struct for results as a list, and ARRAY_OF those of an array
 * of structs as a list of vectors. */
#define FIELDS_OF(fields, from) columns(fields, LENGTH_OF(fields), from, sizeof *(from), 1)
#define ARRAY_OF(fields, from, n) columns(fields, LENGTH_OF(fields), from, sizeof *(from), n)

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

static input input_of(SEXP m) {
	input in = {.sparse = isNewList(m) && m != R_NilValue, .none = m == R_NilValue};
	if (in.sparse) {
		SEXP x = element(m, "x"), dim = element(m, "dim");
		nmu_csr csr = {sizeof csr, NMU_FLOAT64, NMU_INT32, NMU_INT32, INTEGER(dim)[0], INTEGER(dim)[1], XLENGTH(x),
			INTEGER(element(m, "p")), INTEGER(element(m, "j")), REAL(x)};
		in.csr = csr;
	} else if (!in.none && isMatrix(m)) {
		in.dense = matrix(m);
	} else if (!in.none) { /* the sizes of one */
		nmu_matrix sizes = {sizeof sizes, NMU_FLOAT64, REAL(m)[0], REAL(m)[1], 1, REAL(m)[0], NULL};
		in.dense = sizes;
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
	return FIELDS_OF(fields, e);
}

/* warning_of returns what a call without an error says, else an empty text. */
static SEXP warning_of(const nmu_error *e) { return ScalarString(mkCharCE(e->message, CE_UTF8)); }

/* start returns a matrix for results: a copy of the one that is given, if any. */
static SEXP start(SEXP given, int rows, int cols) {
	return given == R_NilValue ? allocMatrix(REALSXP, rows, cols) : duplicate(given);
}

enum { MOST_INPUTS = 4 }; /* mask, weights, fix_v and fix_w */

/* call is a call of the library: its arguments, and the matrices that its options need. */
typedef struct {
	input m;
	nmu_matrix v, w;
	nmu_options options;
	nmu_matrix matrices[MOST_INPUTS];
	nmu_input inputs[MOST_INPUTS];
	void *result;
	int64_t *rows, *cols; /* of a biclique */
	int64_t rank;         /* of an estimate */
	nmu_error error;
} call;

/* ask makes a call with the options of a list, whose element matrices is a list with names of
 * settings. It returns NULL, or what R makes a condition of. */
static SEXP ask(call *c, int (*function)(void *), SEXP m, void *result, SEXP options) {
	volatile int32_t cancel = 0;
	nmu_progress progress = {sizeof progress};
	SEXP further = element(options, "matrices"), names = getAttrib(further, R_NamesSymbol);
	nmu_options o = {
		.size = sizeof o, .version = NMU_OPTIONS, .method = text(options, "method"), .method_options = text(options, "method_options"),
		.settings = text(options, "settings"), .inputs = c->inputs, .cancel = &cancel, .progress = &progress,
	};
	for (R_xlen_t i = 0; i < length(further) && i < MOST_INPUTS; i++) {
		c->matrices[i] = matrix(VECTOR_ELT(further, i));
		c->inputs[i].matrix = &c->matrices[i];
		c->inputs[i].name = CHAR(STRING_ELT(names, i));
		o.input_count++;
	}
	c->m = input_of(m), c->options = o, c->result = result, c->error.size = sizeof c->error;
	return run(function, c, &cancel, &progress, element(options, "progress")) < 0 ? refusal(&c->error) : NULL;
}

static int factor(void *data) {
	call *c = data;
	if (c->m.sparse) return nmu_factor_csr(&c->m.csr, &c->options, &c->v, &c->w, c->result, &c->error);
	return nmu_factor(dense(&c->m), &c->options, &c->v, &c->w, c->result, &c->error);
}

static int improve(void *data) {
	call *c = data;
	if (c->m.sparse) return nmu_improve_csr(&c->m.csr, &c->options, &c->v, &c->w, c->result, &c->error);
	return nmu_improve(dense(&c->m), &c->options, &c->v, &c->w, c->result, &c->error);
}

static int transform(void *data) {
	call *c = data;
	if (c->m.sparse) return nmu_transform_csr(&c->v, &c->m.csr, &c->options, &c->w, c->result, &c->error);
	return nmu_transform(&c->v, dense(&c->m), &c->options, &c->w, c->result, &c->error);
}

static int find(void *data) {
	call *c = data;
	if (c->m.sparse) return nmu_biclique_csr(&c->m.csr, &c->options, c->rows, c->cols, c->result, &c->error);
	return nmu_biclique(dense(&c->m), &c->options, c->rows, c->cols, c->result, &c->error);
}

static int needs(void *data) {
	call *c = data;
	if (c->m.sparse) return nmu_estimate_csr(&c->m.csr, &c->options, c->rank, c->result, &c->error);
	return nmu_estimate(dense(&c->m), &c->options, c->rank, c->result, &c->error);
}

static int compare(void *data) {
	call *c = data;
	if (c->m.sparse) return nmu_rank_csr(&c->m.csr, &c->options, c->result, &c->error);
	return nmu_rank(dense(&c->m), &c->options, c->result, &c->error);
}

static int agree(void *data) {
	call *c = data;
	if (c->m.sparse) return nmu_consensus_csr(&c->m.csr, &c->options, c->result, &c->error);
	return nmu_consensus(dense(&c->m), &c->options, c->result, &c->error);
}

/* answer returns a list of things with names, the last of which is the warning of a call. */
static SEXP answer(const call *c, const char **names, SEXP *things) {
	SEXP list = PROTECT(mkNamed(VECSXP, names));
	R_xlen_t last = XLENGTH(list) - 1;
	for (R_xlen_t i = 0; i < last; i++) SET_VECTOR_ELT(list, i, things[i]);
	SET_VECTOR_ELT(list, last, warning_of(&c->error));
	UNPROTECT(1);
	return list;
}

/* The list of options says whether the call is improve, the numbers of rows and columns of M, how many
 * errors to reserve room for, and the blocks to continue. */
SEXP nmu_r_factor(SEXP m, SEXP rank, SEXP v, SEXP w, SEXP options) {
	SEXP dim = element(options, "dim"), known = element(options, "known");
	int r = asInteger(rank), blocks = known == R_NilValue ? 0 : length(VECTOR_ELT(known, 0)), errors = asInteger(element(options, "errors"));
	v = PROTECT(start(v, INTEGER(dim)[0], r));
	w = PROTECT(start(w, r, INTEGER(dim)[1]));
	nmu_result result = {.size = sizeof result, .block = (nmu_block *)R_alloc(r + 1, sizeof(nmu_block)), .block_capacity = r + 1,
		.blocks = blocks, .history = (double *)R_alloc(errors + 1, sizeof(double)), .history_capacity = errors};
	memset(result.block, 0, (r + 1) * sizeof *result.block);
	store(block_fields, LENGTH_OF(block_fields), result.block, sizeof *result.block, blocks, known);
	call c = {.v = matrix(v), .w = matrix(w)};
	SEXP refused = ask(&c, asLogical(element(options, "improve")) ? improve : factor, m, &result, options);
	if (refused) {
		UNPROTECT(2);
		return refused;
	}
	int64_t found = result.blocks < r + 1 ? result.blocks : r + 1, kept = result.history_length < errors ? result.history_length : errors;
	const char *names[] = {"V", "W", "result", "blocks", "history", "warning", ""};
	SEXP about = PROTECT(FIELDS_OF(result_fields, &result)), each = PROTECT(ARRAY_OF(block_fields, result.block, found));
	SEXP history = PROTECT(allocVector(REALSXP, kept));
	if (kept > 0) memcpy(REAL(history), result.history, kept * sizeof(double));
	SEXP list = answer(&c, names, (SEXP[]){v, w, about, each, history});
	UNPROTECT(5);
	return list;
}

/* names_of returns the names in a text in which a zero byte is behind each. */
static SEXP names_of(const char *at, int64_t length, int64_t n) {
	if (length == 0) return R_NilValue;
	SEXP names = PROTECT(allocVector(STRSXP, n));
	for (int64_t i = 0; i < n; i++, at += strlen(at) + 1) SET_STRING_ELT(names, i, mkCharCE(at, CE_UTF8));
	UNPROTECT(1);
	return names;
}

/* nmu_r_inspect returns the numbers of rows and columns of the matrix in a file, and their names. */
SEXP nmu_r_inspect(SEXP settings) {
	nmu_options options = {.size = sizeof options, .version = NMU_OPTIONS, .settings = CHAR(asChar(settings))};
	nmu_file f = {.size = sizeof f};
	nmu_error e = {sizeof e};
	int64_t room = 1 << 16, needed;
	for (;; room = needed) {
		f.row_names = R_alloc(room, 1), f.col_names = R_alloc(room, 1);
		f.row_names_capacity = f.col_names_capacity = room;
		if (nmu_inspect(&options, &f, &e) < 0) return refusal(&e);
		needed = f.row_names_length > f.col_names_length ? f.row_names_length : f.col_names_length;
		if (needed <= room) break;
	}
	const char *parts[] = {"size", "rows", "cols", ""};
	SEXP list = PROTECT(mkNamed(VECSXP, parts)), dim = allocVector(REALSXP, 2);
	SET_VECTOR_ELT(list, 0, dim);
	REAL(dim)[0] = f.rows, REAL(dim)[1] = f.cols;
	SET_VECTOR_ELT(list, 1, names_of(f.row_names, f.row_names_length, f.rows));
	SET_VECTOR_ELT(list, 2, names_of(f.col_names, f.col_names_length, f.cols));
	UNPROTECT(1);
	return list;
}

SEXP nmu_r_estimate(SEXP m, SEXP rank, SEXP options) {
	nmu_estimate_result result = {.size = sizeof result};
	call c = {.rank = asReal(rank)};
	SEXP refused = ask(&c, needs, m, &result, options);
	return refused ? refused : FIELDS_OF(estimate_fields, &result);
}

SEXP nmu_r_transform(SEXP v, SEXP m, SEXP w, SEXP options) {
	nmu_transform_result result = {sizeof result};
	w = PROTECT(start(w, ncols(v), INTEGER(element(options, "dim"))[1]));
	call c = {.v = matrix(v), .w = matrix(w)};
	SEXP list = ask(&c, transform, m, &result, options);
	if (!list) {
		const char *names[] = {"W", "result", "warning", ""};
		SEXP about = PROTECT(FIELDS_OF(transform_fields, &result));
		list = answer(&c, names, (SEXP[]){w, about});
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
	SET_VECTOR_ELT(list, 1, names_of(a.names, a.names_length, rows));
	SET_VECTOR_ELT(list, 2, FIELDS_OF(fields, &a));
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
	return nmu_metrics(&mm, &vv, &ww, &x, &e) < 0 ? refusal(&e) : FIELDS_OF(fields, &x);
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
	nmu_biclique_result result = {sizeof result};
	int *dim = INTEGER(element(options, "dim"));
	call c = {.rows = (int64_t *)R_alloc(dim[0] + 1, sizeof(int64_t)), .cols = (int64_t *)R_alloc(dim[1] + 1, sizeof(int64_t))};
	SEXP refused = ask(&c, find, m, &result, options);
	if (refused) return refused;
	const char *names[] = {"rows", "cols", "result", "warning", ""};
	SEXP rows = PROTECT(places(c.rows, result.rows)), cols = PROTECT(places(c.cols, result.cols)), about = PROTECT(FIELDS_OF(fields, &result));
	SEXP list = answer(&c, names, (SEXP[]){rows, cols, about});
	UNPROTECT(3);
	return list;
}

/* The consensus matrices are an array with as many rows and columns as side says, 0 for none. */
SEXP nmu_r_rank(SEXP m, SEXP ranks, SEXP side, SEXP options) {
	int n = asInteger(ranks), width = asInteger(side);
	SEXP consensus = PROTECT(alloc3DArray(REALSXP, width, width, n));
	for (R_xlen_t i = 0; i < XLENGTH(consensus); i++) REAL(consensus)[i] = NA_REAL;
	nmu_rank_result result = {.size = sizeof result, .point = (nmu_rank_point *)R_alloc(n, sizeof(nmu_rank_point)), .point_capacity = n,
		.consensus = REAL(consensus), .consensus_capacity = XLENGTH(consensus)};
	call c = {.rows = NULL};
	SEXP list = ask(&c, compare, m, &result, options);
	if (!list) {
		const char *names[] = {"result", "points", "consensus", "warning", ""};
		SEXP about = PROTECT(FIELDS_OF(rank_fields, &result)), points = PROTECT(ARRAY_OF(point_fields, result.point, result.points));
		list = answer(&c, names, (SEXP[]){about, points, consensus});
		UNPROTECT(2);
	}
	UNPROTECT(1);
	return list;
}

/* n is the number of ranks, parts that of the parts of all of them, and side that of the columns of a map. */
SEXP nmu_r_consensus(SEXP m, SEXP ranks, SEXP parts, SEXP side, SEXP options) {
	enum { PLACES = 6 };
	const char *names[] = {"V", "V_low", "V_high", "W", "W_low", "W_high", "map", "result", "points", "parts", "warning", ""};
	int n = asInteger(ranks), all = asInteger(parts), width = asInteger(side), *dim = INTEGER(element(options, "dim"));
	SEXP found[LENGTH_OF(names) - 2];
	nmu_matrix places[PLACES];
	for (int i = 0; i < PLACES; i++) {
		found[i] = PROTECT(i < 3 ? allocMatrix(REALSXP, dim[0], all) : allocMatrix(REALSXP, all, dim[1]));
		places[i] = matrix(found[i]);
	}
	found[6] = PROTECT(alloc3DArray(REALSXP, width, width, n));
	nmu_consensus_result result = {
		.size = sizeof result, .point = (nmu_consensus_point *)R_alloc(n, sizeof(nmu_consensus_point)), .point_capacity = n,
		.part = (nmu_part *)R_alloc(all, sizeof(nmu_part)), .part_capacity = all,
		.v = &places[0], .v_low = &places[1], .v_high = &places[2], .w = &places[3], .w_low = &places[4], .w_high = &places[5],
		.map = REAL(found[6]), .map_capacity = XLENGTH(found[6]),
	};
	call c = {.rows = NULL};
	SEXP list = ask(&c, agree, m, &result, options);
	if (!list) {
		found[7] = PROTECT(FIELDS_OF(consensus_fields, &result));
		found[8] = PROTECT(ARRAY_OF(consensus_point_fields, result.point, result.points));
		found[9] = PROTECT(ARRAY_OF(part_fields, result.part, result.parts));
		list = answer(&c, names, found);
		UNPROTECT(3);
	}
	UNPROTECT(7);
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
	return nmu_about(&i, &e) < 0 ? refusal(&e) : FIELDS_OF(fields, &i);
}

static const R_CallMethodDef functions[] = {
	{"factor", (DL_FUNC)&nmu_r_factor, 5},
	{"inspect", (DL_FUNC)&nmu_r_inspect, 1},
	{"estimate", (DL_FUNC)&nmu_r_estimate, 3},
	{"transform", (DL_FUNC)&nmu_r_transform, 4},
	{"save", (DL_FUNC)&nmu_r_save, 5},
	{"load", (DL_FUNC)&nmu_r_load, 1},
	{"measures", (DL_FUNC)&nmu_r_measures, 3},
	{"biclique", (DL_FUNC)&nmu_r_biclique, 2},
	{"rank", (DL_FUNC)&nmu_r_rank, 4},
	{"consensus", (DL_FUNC)&nmu_r_consensus, 5},
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
