/* The functions of the library for R: each has a list of arguments. Matrices of R lie by columns, so that
 * their entries have the strides 1 and the number of rows, and nothing is copied. */
#include "run.h"

#include <R_ext/Rdynload.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"

/* matrix describes a matrix of doubles, or of bytes, which is a mask. */
static nmu_matrix matrix(SEXP x) {
	int mask = TYPEOF(x) == RAWSXP;
	return (nmu_matrix){sizeof(nmu_matrix), mask ? NMU_UINT8 : NMU_FLOAT64, nrows(x), ncols(x), 1, nrows(x), mask ? (void *)RAW(x) : REAL(x)};
}

/* text returns an element of a list, which is one string, in UTF-8, or NULL. */
static const char *text(SEXP list, const char *name) {
	SEXP x = element(list, name);
	return x == R_NilValue ? NULL : translateCharUTF8(asChar(x));
}

/* put makes x, which it returns, element i of a list. */
static SEXP put(SEXP list, int i, SEXP x) {
	SET_VECTOR_ELT(list, i, x);
	return x;
}

SEXP progress_of(const nmu_progress *progress) { return FIELDS_OF(progress_fields, progress); }

enum { MOST_INPUTS = 16 }; /* more than the settings that are matrices */

/* call is a call of a function of the library, some on M, with what any of them needs. */
typedef struct {
	const nmu_matrix *m; /* NULL for a sparse M, and for one in a file */
	const nmu_csr *csr;
	nmu_matrix dense, v, w, ww, mw;
	nmu_csr sparse;
	nmu_options options;
	nmu_matrix matrices[MOST_INPUTS];
	nmu_input inputs[MOST_INPUTS];
	void *result;
	int64_t rank, *rows, *cols;
	nmu_error error;
} call;

/* tell hands an error, or the warning of a call without one, to the function report of R, which does not
 * return after an error. Rows and columns count from 0. */
static void tell(call *c, int code, SEXP a) {
	static const field fields[] = {
		FIELD(nmu_error, code, WHOLE), FIELD(nmu_error, message, WORD), FIELD(nmu_error, matrix, WORD),
		FIELD(nmu_error, row, WHOLE), FIELD(nmu_error, col, WHOLE), FIELD(nmu_error, value, NUMBER),
	};
	if (code >= 0 && c->error.message[0] == 0) return;
	SEXP e = PROTECT(FIELDS_OF(fields, &c->error)), report = PROTECT(lang2(element(a, "report"), e));
	eval(report, R_GlobalEnv);
	UNPROTECT(2);
}

/* ask calls a function on the matrix m of the list, which may be dense, a list of p, j, x and dim, two sizes
 * or NULL, with the options in the list. */
static void ask(call *c, int (*function)(void *), void *result, SEXP a) {
	SEXP m = element(a, "m"), further = element(a, "matrices"), names = getAttrib(further, R_NamesSymbol);
	if (isMatrix(m)) {
		c->dense = matrix(m);
		c->m = &c->dense;
	} else if (isNewList(m) && m != R_NilValue) {
		SEXP x = element(m, "x"), dim = element(m, "dim");
		c->sparse = (nmu_csr){sizeof(nmu_csr), NMU_FLOAT64, NMU_INT32, NMU_INT32, INTEGER(dim)[0], INTEGER(dim)[1], XLENGTH(x),
			INTEGER(element(m, "p")), INTEGER(element(m, "j")), REAL(x)};
		c->csr = &c->sparse;
	} else if (m != R_NilValue) {
		c->dense = (nmu_matrix){sizeof(nmu_matrix), NMU_FLOAT64, REAL(m)[0], REAL(m)[1], 1, REAL(m)[0], NULL};
		c->m = &c->dense;
	}
	volatile int32_t cancel = 0;
	nmu_progress progress = {sizeof progress};
	nmu_options o = {
		.size = sizeof o, .version = NMU_OPTIONS, .method = text(a, "method"), .method_options = text(a, "method_options"),
		.settings = text(a, "settings"), .inputs = c->inputs, .cancel = &cancel, .progress = &progress,
	};
	for (R_xlen_t i = 0; i < length(further) && i < MOST_INPUTS; i++) {
		c->matrices[i] = matrix(VECTOR_ELT(further, i));
		c->inputs[o.input_count++] = (nmu_input){CHAR(STRING_ELT(names, i)), &c->matrices[i]};
	}
	c->options = o, c->result = result;
	tell(c, run(function, c, &cancel, &progress, element(a, "progress")), a);
}

/* DEFINE defines a function of a call, from two of the library for a dense and a sparse M: the arguments before
 * M, if any, with a comma behind them, and those behind M. */
#define DEFINE(name, library, before, ...) \
	static int name(void *data) { \
		call *c = data; \
		return c->csr ? library##_csr(before c->csr, __VA_ARGS__, &c->error) : library(before c->m, __VA_ARGS__, &c->error); \
	}
#define BASIS &c->v,
DEFINE(call_factor, nmu_factor, , &c->options, &c->v, &c->w, c->result)
DEFINE(call_improve, nmu_improve, , &c->options, &c->v, &c->w, c->result)
DEFINE(call_biclique, nmu_biclique, , &c->options, c->rows, c->cols, c->result)
DEFINE(call_estimate, nmu_estimate, , &c->options, c->rank, c->result)
DEFINE(call_rank, nmu_rank, , &c->options, c->result)
DEFINE(call_consensus, nmu_consensus, , &c->options, c->result)
DEFINE(call_transform, nmu_transform, BASIS, &c->options, &c->w, c->result)
DEFINE(call_update, nmu_update, BASIS, &c->options, &c->ww, &c->mw, &c->w, c->result)

/* start returns a matrix for results: a copy of the one that is given, if any, else zeros. */
static SEXP start(SEXP given, int rows, int cols) {
	if (given != R_NilValue) return duplicate(given);
	SEXP x = allocMatrix(REALSXP, rows, cols);
	memset(REAL(x), 0, XLENGTH(x) * sizeof(double));
	return x;
}

/* numbers returns the first n of some numbers of a type, WHOLE or NUMBER. */
static SEXP numbers(int type, const void *from, int64_t n) {
	const field one = {"", 0, type};
	return VECTOR_ELT(columns(&one, 1, from, sizeof(double), n), 0);
}

/* The list says whether the call is improve, the numbers of rows and columns of M, how many errors to reserve
 * room for, and the blocks to continue. */
static void factor(call *c, SEXP a, SEXP found) {
	SEXP known = element(a, "known");
	int *dim = INTEGER(element(a, "dim")), r = asInteger(element(a, "rank")), errors = asInteger(element(a, "errors"));
	int blocks = known == R_NilValue ? 0 : length(VECTOR_ELT(known, 0));
	c->v = matrix(put(found, 0, start(element(a, "v"), dim[0], r)));
	c->w = matrix(put(found, 1, start(element(a, "w"), r, dim[1])));
	nmu_result result = {.size = sizeof result, .block = (nmu_block *)R_alloc(r + 1, sizeof(nmu_block)), .block_capacity = r + 1,
		.blocks = blocks, .history = (double *)R_alloc(errors + 1, sizeof(double)), .history_capacity = errors};
	memset(result.block, 0, (r + 1) * sizeof *result.block);
	store(block_fields, LENGTH_OF(block_fields), result.block, sizeof *result.block, blocks, known);
	ask(c, asLogical(element(a, "improve")) ? call_improve : call_factor, &result, a);
	put(found, 2, FIELDS_OF(result_fields, &result));
	put(found, 3, ARRAY_OF(block_fields, result.block, result.blocks < r + 1 ? result.blocks : r + 1));
	put(found, 4, numbers(NUMBER, result.history, result.history_length < errors ? result.history_length : errors));
}

/* inspect finds the numbers of rows and columns of the matrix in a file, and their names, each with a zero byte
 * behind it. */
static void inspect(call *c, SEXP a, SEXP found) {
	nmu_options options = {.size = sizeof options, .version = NMU_OPTIONS, .settings = text(a, "settings")};
	nmu_file f = {.size = sizeof f};
	tell(c, nmu_inspect(&options, &f, &c->error), a);
	f.row_names_capacity = f.row_names_length, f.col_names_capacity = f.col_names_length;
	f.row_names = (char *)RAW(put(found, 1, allocVector(RAWSXP, f.row_names_length)));
	f.col_names = (char *)RAW(put(found, 2, allocVector(RAWSXP, f.col_names_length)));
	tell(c, nmu_inspect(&options, &f, &c->error), a);
	if (f.row_names_length > f.row_names_capacity || f.col_names_length > f.col_names_capacity)
		error("nmu: the file was replaced while it was read; read it again");
	put(found, 0, numbers(NUMBER, (double[]){f.rows, f.cols}, 2));
}

/* look finds the description of a matrix in a file, in JSON. */
static void look(call *c, SEXP a, SEXP found) {
	nmu_options options = {.size = sizeof options, .version = NMU_OPTIONS, .settings = text(a, "settings")};
	nmu_text t = {.size = sizeof t};
	for (int64_t room = 1 << 14; t.text_capacity < room; room = t.text_length) {
		t.text = R_alloc(room, 1), t.text_capacity = room;
		tell(c, nmu_look(&options, &t, &c->error), a);
	}
	put(found, 0, ScalarString(mkCharLenCE(t.text, (int)t.text_length, CE_UTF8)));
}

static void estimate(call *c, SEXP a, SEXP found) {
	nmu_estimate_result result = {.size = sizeof result};
	c->rank = asReal(element(a, "rank"));
	ask(c, call_estimate, &result, a);
	put(found, 0, FIELDS_OF(estimate_fields, &result));
}

static void transform(call *c, SEXP a, SEXP found) {
	nmu_transform_result result = {sizeof result};
	c->v = matrix(element(a, "v"));
	c->w = matrix(put(found, 0, start(element(a, "w"), c->v.cols, INTEGER(element(a, "dim"))[1])));
	ask(c, call_transform, &result, a);
	put(found, 1, FIELDS_OF(transform_fields, &result));
}

/* update renews copies of V and of the sums. */
static void update(call *c, SEXP a, SEXP found) {
	nmu_transform_result result = {sizeof result};
	c->v = matrix(put(found, 0, duplicate(element(a, "v"))));
	c->ww = matrix(put(found, 1, start(element(a, "ww"), c->v.cols, c->v.cols)));
	c->mw = matrix(put(found, 2, start(element(a, "mw"), c->v.rows, c->v.cols)));
	c->w = matrix(put(found, 3, allocMatrix(REALSXP, c->v.cols, INTEGER(element(a, "dim"))[1])));
	ask(c, call_update, &result, a);
	put(found, 4, FIELDS_OF(transform_fields, &result));
}

/* save writes a model. The names of the rows of V are as those of inspect. */
static void save(call *c, SEXP a, SEXP found) {
	SEXP names = element(a, "names");
	c->v = matrix(element(a, "v"));
	nmu_model model = {.size = sizeof model, .topics = asLogical(element(a, "topics")), .names_length = xlength(names)};
	if (model.names_length > 0) model.names = (char *)RAW(names);
	if (snprintf(model.method_options, sizeof model.method_options, "%s", text(a, "method_options")) >= (int)sizeof model.method_options)
		error("nmu: the options of the method are too long for a model");
	snprintf(model.method, sizeof model.method, "%s", text(a, "method"));
	tell(c, nmu_model_save(text(a, "path"), &c->v, &model, &c->error), a);
}

/* load finds V, the names of its rows, its method and the options of that, and whether it is scaled to topics. */
static void load(call *c, SEXP a, SEXP found) {
	static const field fields[] = {
		FIELD(nmu_model, method, WORD), FIELD(nmu_model, method_options, WORD), FIELD(nmu_model, topics, YES),
	};
	const char *path = text(a, "path");
	nmu_model model = {.size = sizeof model, .max_memory = asReal(element(a, "max_memory"))};
	tell(c, nmu_model_load(path, NULL, &model, &c->error), a);
	if (model.rows > INT_MAX || model.rank > INT_MAX)
		error("nmu: the basis is %.0f x %.0f, more than a matrix of R has", (double)model.rows, (double)model.rank);
	c->v = matrix(put(found, 0, allocMatrix(REALSXP, model.rows, model.rank)));
	model.names = (char *)RAW(put(found, 1, allocVector(RAWSXP, model.names_length))), model.names_capacity = model.names_length;
	tell(c, nmu_model_load(path, &c->v, &model, &c->error), a);
	if (model.names_length > model.names_capacity) error("nmu: the model was replaced while it was read; read it again");
	put(found, 2, FIELDS_OF(fields, &model));
}

static void measures(call *c, SEXP a, SEXP found) {
	nmu_matrix m = matrix(element(a, "m")), v = matrix(element(a, "v")), w = matrix(element(a, "w"));
	nmu_measures x = {sizeof x};
	tell(c, nmu_metrics(&m, &v, &w, &x, &c->error), a);
	put(found, 0, FIELDS_OF(measures_fields, &x));
}

static void biclique(call *c, SEXP a, SEXP found) {
	int *dim = INTEGER(element(a, "dim"));
	nmu_biclique_result result = {sizeof result};
	c->rows = (int64_t *)R_alloc(dim[0] + 1, sizeof(int64_t)), c->cols = (int64_t *)R_alloc(dim[1] + 1, sizeof(int64_t));
	ask(c, call_biclique, &result, a);
	put(found, 0, numbers(WHOLE, c->rows, result.rows));
	put(found, 1, numbers(WHOLE, c->cols, result.cols));
	put(found, 2, FIELDS_OF(biclique_fields, &result));
}

/* maps returns the consensus matrices of n ranks, which have fewer columns than side if some of M were left out. */
static SEXP maps(SEXP given, int columns, int side, int n) {
	if (columns == side) return given;
	SEXP fewer = alloc3DArray(REALSXP, columns, columns, n);
	memcpy(REAL(fewer), REAL(given), sizeof(double) * XLENGTH(fewer));
	return fewer;
}

/* The consensus matrices of so many ranks are an array with as many rows and columns as side says, 0 for none. */
static void rank(call *c, SEXP a, SEXP found) {
	int n = asInteger(element(a, "ranks")), side = asInteger(element(a, "side"));
	SEXP consensus = put(found, 2, alloc3DArray(REALSXP, side, side, n));
	for (R_xlen_t i = 0; i < XLENGTH(consensus); i++) REAL(consensus)[i] = NA_REAL;
	nmu_rank_result result = {.size = sizeof result, .point = (nmu_rank_point *)R_alloc(n, sizeof(nmu_rank_point)), .point_capacity = n,
		.consensus = REAL(consensus), .consensus_capacity = XLENGTH(consensus)};
	ask(c, call_rank, &result, a);
	if (side > 0) put(found, 2, maps(consensus, result.consensus_columns, side, n));
	put(found, 0, FIELDS_OF(rank_fields, &result));
	put(found, 1, ARRAY_OF(rank_point_fields, result.point, result.points));
}

/* The list has the numbers of ranks, of the parts of all of them, and of the columns of a map. */
static void consensus(call *c, SEXP a, SEXP found) {
	int n = asInteger(element(a, "ranks")), parts = asInteger(element(a, "parts")), side = asInteger(element(a, "side"));
	int *dim = INTEGER(element(a, "dim"));
	nmu_matrix of[6];
	for (int i = 0; i < 6; i++) of[i] = matrix(put(found, i, i < 3 ? allocMatrix(REALSXP, dim[0], parts) : allocMatrix(REALSXP, parts, dim[1])));
	SEXP map = put(found, 6, alloc3DArray(REALSXP, side, side, n));
	nmu_consensus_result result = {
		.size = sizeof result, .point = (nmu_consensus_point *)R_alloc(n, sizeof(nmu_consensus_point)), .point_capacity = n,
		.part = (nmu_part *)R_alloc(parts, sizeof(nmu_part)), .part_capacity = parts,
		.v = &of[0], .v_low = &of[1], .v_high = &of[2], .w = &of[3], .w_low = &of[4], .w_high = &of[5],
		.map = REAL(map), .map_capacity = XLENGTH(map),
	};
	ask(c, call_consensus, &result, a);
	put(found, 6, maps(map, result.map_columns, side, n));
	put(found, 7, FIELDS_OF(consensus_fields, &result));
	put(found, 8, ARRAY_OF(consensus_point_fields, result.point, result.points));
	put(found, 9, ARRAY_OF(part_fields, result.part, result.parts));
}

static void topics(call *c, SEXP a, SEXP found) {
	c->v = matrix(put(found, 0, duplicate(element(a, "v"))));
	c->w = matrix(put(found, 1, duplicate(element(a, "w"))));
	nmu_matrix mixtures = matrix(put(found, 2, duplicate(element(a, "w"))));
	tell(c, nmu_topics(&c->v, &c->w, &mixtures, &c->error), a);
}

static void sha256(call *c, SEXP a, SEXP found) {
	char hex[65];
	nmu_matrix m = matrix(element(a, "m"));
	tell(c, nmu_sha256(&m, hex, &c->error), a);
	put(found, 0, mkString(hex));
}

static void info(call *c, SEXP a, SEXP found) {
	static const field fields[] = {
		FIELD(nmu_info, version, WORD), FIELD(nmu_info, level, WORD), FIELD(nmu_info, threads, WHOLE),
		FIELD(nmu_info, methods, TEXT), FIELD(nmu_info, settings, TEXT), FIELD(nmu_info, results, TEXT),
	};
	nmu_info i = {sizeof i};
	tell(c, nmu_about(&i, &c->error), a);
	put(found, 0, FIELDS_OF(fields, &i));
}

/* nmu_r calls the function of a name with a list of arguments, and returns what it finds. */
SEXP nmu_r(SEXP name, SEXP a) {
	static struct {
		const char *name;
		void (*function)(call *, SEXP a, SEXP found);
		const char *finds[11]; /* the last is empty */
	} functions[] = {
		{"factor", factor, {"V", "W", "result", "blocks", "history", ""}}, {"transform", transform, {"W", "result", ""}},
		{"update", update, {"V", "WW", "MW", "W", "result", ""}},
		{"inspect", inspect, {"size", "rows", "cols", ""}}, {"look", look, {"json", ""}}, {"estimate", estimate, {"result", ""}},
		{"save", save, {""}}, {"load", load, {"V", "names", "about", ""}}, {"measures", measures, {"result", ""}},
		{"biclique", biclique, {"rows", "cols", "result", ""}}, {"rank", rank, {"result", "points", "consensus", ""}},
		{"consensus", consensus, {"V", "V_low", "V_high", "W", "W_low", "W_high", "map", "result", "points", "parts", ""}},
		{"topics", topics, {"V", "W", "mixtures", ""}}, {"sha256", sha256, {"result", ""}}, {"info", info, {"result", ""}},
	};
	for (int i = 0; i < LENGTH_OF(functions); i++) {
		if (strcmp(CHAR(asChar(name)), functions[i].name) != 0) continue;
		call c = {.error = {sizeof c.error}};
		SEXP found = PROTECT(mkNamed(VECSXP, functions[i].finds));
		functions[i].function(&c, a, found);
		UNPROTECT(1);
		return found;
	}
	error("nmu: no function %s", CHAR(asChar(name)));
}

void R_init_nmu(DllInfo *dll) {
	static const R_CallMethodDef functions[] = {{"call", (DL_FUNC)&nmu_r, 2}, {NULL, NULL, 0}};
	R_registerRoutines(dll, NULL, functions, NULL, NULL);
	R_useDynamicSymbols(dll, FALSE);
	R_forceSymbols(dll, TRUE);
}
