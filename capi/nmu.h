/* nmu.h: the C interface of nmu, nonnegative matrix factorization and underapproximation.
 *
 * M >= 0 (m x n) is factored into V W, with a basis V >= 0 (m x r) and weights W >= 0
 * (r x n). For given input, options and seed every bit of the result is the same on
 * every processor, with any number of threads and in whatever order the arrays lie.
 *
 *     nmu_matrix m = {sizeof m, NMU_FLOAT64, rows, cols, cols, 1, data};
 *     nmu_matrix v = {sizeof v, NMU_FLOAT64, rows, rank, rank, 1, basis};
 *     nmu_matrix w = {sizeof w, NMU_FLOAT64, rank, cols, cols, 1, weights};
 *     nmu_options options = {sizeof options, "rnmu"};
 *     nmu_error error = {sizeof error};
 *     if (nmu_factor(&m, &options, &v, &w, NULL, &error) < 0) puts(error.message);
 *
 * Structs begin with their size, which the caller sets: a smaller one, of an older
 * header, is accepted where it ends with a field, and so is a larger one whose further
 * bytes are zero. A field that is 0 or NULL stands for the default: an initializer sets
 * all that it does not name to that. Where a function takes a pointer to options, a
 * result or an error, it may be NULL.
 *
 * Memory: all arrays are the caller's. They are read and written during a call only,
 * and results are written at its end: none, if it returns an error.
 *
 * Threads: any number of threads may call at once, with arrays of their own for the
 * results. A call computes on threads of its own, as many as options say, in the
 * default floating-point environment, and leaves that of the caller as it was.
 *
 * Processes: the library holds the Go runtime, which does not survive fork: in a child
 * that was forked after the library was loaded, every function returns NMU_EFORK. Fork
 * before, or exec. The runtime handles SIGSEGV, SIGBUS, SIGFPE, SIGPIPE and SIGURG, and
 * passes on what is not its own; SIGINT stays the caller's. The library cannot be
 * unloaded, there can be one in a process, and musl cannot load it. */
#ifndef NMU_H
#define NMU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef _WIN32
#define NMU_API __declspec(dllexport)
#else
#define NMU_API
#endif

/* What functions return. */
enum {
	NMU_OK = 0,
	NMU_CANCELLED = 1,  /* no error: the results hold what was finished by then */
	NMU_ESHAPE = -1,    /* rows, columns, strides or pointers of a matrix do not fit */
	NMU_EOPTION = -2,   /* an option that is unknown or out of range */
	NMU_EVALUE = -3,    /* an entry is negative or not finite: see row and col */
	NMU_EARGUMENT = -4, /* an argument that is NULL, of an unknown type or misaligned */
	NMU_EFORK = -5,     /* called in a forked child */
	NMU_EINTERNAL = -6  /* an error of the library; please report it */
};

/* The types of elements. */
enum { NMU_FLOAT32 = 1, NMU_FLOAT64 = 2, NMU_INT32 = 3, NMU_INT64 = 4, NMU_UINT8 = 5 };

/* nmu_matrix is a dense matrix: entry (i, j) is element i*row_stride + j*col_stride of
 * data. A stride may be of any sign and, where the matrix is only read, zero; of a single
 * row or column it may be anything. All entries, and a copy of them, fit the address space. */
typedef struct nmu_matrix {
	size_t size;
	int64_t type; /* NMU_FLOAT32 or NMU_FLOAT64; of a mask NMU_UINT8 */
	int64_t rows, cols;
	int64_t row_stride, col_stride; /* in elements */
	void *data;
} nmu_matrix;

/* nmu_csr is a sparse matrix by compressed rows: row i has the values pointers[i] to
 * pointers[i+1]-1, in columns that increase strictly. */
typedef struct nmu_csr {
	size_t size;
	int64_t type;         /* of the values: NMU_FLOAT32 or NMU_FLOAT64 */
	int64_t pointer_type; /* NMU_INT32 or NMU_INT64 */
	int64_t index_type;   /* likewise */
	int64_t rows, cols, entries;
	const void *pointers; /* rows + 1 of them, from 0 to entries */
	const void *indices;  /* of columns, from 0 */
	const void *values;
} nmu_csr;

/* nmu_error says what was wrong. */
typedef struct nmu_error {
	size_t size;
	int64_t code;
	int64_t row, col;  /* of a bad value, from 0; else -1 */
	double value;      /* it */
	char matrix[16];   /* whose it is: M, V, W or the weights; else empty */
	char message[456]; /* in UTF-8, for people, who count rows from 1; cut at the end if long */
} nmu_error;

/* nmu_progress is a state of the work. It may be read at any time while a call writes
 * it: every field is whole, but two fields may be of two states. */
typedef struct nmu_progress {
	size_t size;
	int64_t updates;               /* rises with every state */
	int64_t restart, restarts;     /* from 1 */
	int64_t factor, rank;          /* factors finished before the current block, of how many */
	int64_t iteration, iterations; /* of the current block */
	double relative_error;
	double elapsed, remaining; /* in seconds; the latter is an estimate */
} nmu_progress;

/* nmu_options say how to factor. */
typedef struct nmu_options {
	size_t size;
	const char *method;         /* a name, as on the command line: nmf, gnmu, rnmu, ...; default rnmu */
	const char *method_options; /* its options, as "solver=admm,rho=2"; nmu_about lists them */
	const char *init;           /* random, nested, svd, spa, snpa, or given: V and W hold the start; default random */
	uint64_t seed;
	int64_t iterations;  /* of each block in a recursion */
	int64_t restarts;    /* default 10 for random, else 1 */
	int64_t threads;     /* default: all processors */
	int64_t check_every; /* iterations between two looks at the error; default 10 */
	double tolerance;    /* stop when the error changes by no more, relatively; default never */
	double target_error; /* of a recursion: stop adding factors at this relative error */
	double time_limit;   /* in seconds */
	int64_t overwrite;   /* not 0: M may be destroyed, to save memory */

	/* The work ends soon after the flag is set to another value than 0, from any thread
	 * or a handler of signals. */
	const volatile int32_t *cancel;

	/* Written a few times per second; and called likewise, never twice at once, perhaps
	 * on a thread of the library. What callback returns, if not 0, cancels the work. */
	nmu_progress *progress;
	int (*callback)(const nmu_progress *progress, void *user);
	void *user;

	/* What is missing, which may hold anything, or counts for more. All that is found is
	 * about the entries that are observed, and no row or column may lack them all. One
	 * weight for each row is a matrix with strides 1 and 0. Both are for a dense M. */
	const nmu_matrix *mask;     /* m x n, NMU_UINT8: M is missing where it is 0; default nothing is */
	const nmu_matrix *weights;  /* m x n, NMU_FLOAT64, >= 0: of the squares of M - V W; 0 is as missing */
	int64_t nan_missing;        /* not 0: NaN in a dense M are missing, beside what the mask says */
	int64_t sparse_missing;     /* not 0: what a sparse M does not store is missing, not zero */
	const char *missing_solver; /* majorize or exact; default majorize */
} nmu_options;

/* nmu_block is what was found about the factors that were found together. */
typedef struct nmu_block {
	int64_t rank, iterations; /* the number of factors by then */
	double relative_error, relative_l1;
} nmu_block;

/* nmu_result says how a factorization came about. */
typedef struct nmu_result {
	size_t size;
	int64_t rank;       /* factors that were found: further columns of V and rows of W are zero */
	int64_t iterations; /* of all blocks */
	double relative_error;  /* ||M - V W|| / ||M|| */
	double relative_l1;     /* sum |M - V W| / sum |M|, with norm=l1 */
	double max_violation;   /* the largest entry of V W - M, if positive */
	double largest_entry;   /* of M */
	int64_t violation_bound; /* 1 if max_violation is an upper bound only (large sparse M) */
	char stop[24];           /* why it ended: iterations, tolerance, target error, time limit, cancelled, ... */
	uint64_t seed;           /* of the winning run */
	int64_t best_restart, restarts_begun, restarts_finished;
	int64_t revived; /* factors that vanished under the penalties of snmf */

	/* An array of the caller for as many blocks, or NULL and 0. blocks becomes the number
	 * that there are, of which the first block_capacity are written. */
	nmu_block *block;
	int64_t block_capacity, blocks;
} nmu_result;

/* nmu_factor factors M into V (m x r) and W (r x n), whose shapes say the rank. */
NMU_API int nmu_factor(const nmu_matrix *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);

/* nmu_factor_csr does the same for a sparse M, which is never made dense. */
NMU_API int nmu_factor_csr(const nmu_csr *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);

/* nmu_improve rounds the V and W that are given, keeps the zeros as they are then, and
 * makes HALS iterations on the other entries, 100 unless options say otherwise. Of the
 * options it has none of a method, and no init. */
NMU_API int nmu_improve(const nmu_matrix *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);

/* nmu_transform_options say how to find weights for new columns. */
typedef struct nmu_transform_options {
	size_t size;
	int64_t feasible;   /* not 0: V W <= M, exactly in floating point */
	int64_t given;      /* not 0: W holds the start */
	int64_t iterations; /* the most sweeps over a column; default 1000 */
	double tolerance;   /* of a column's KKT residual; default 1e-6, or 1e-4 for float32 */
	int64_t threads;
	const volatile int32_t *cancel;
	const nmu_matrix *mask, *weights; /* as in nmu_options */
	int64_t nan_missing;              /* likewise */
	int64_t sum_to_one;               /* not 0: the entries of each column of W add up to 1 */
} nmu_transform_options;

/* nmu_transform_result says how weights came about. */
typedef struct nmu_transform_result {
	size_t size;
	double relative_error, max_violation;
	int64_t iterations; /* the most sweeps that a column took */
	double kkt;         /* the largest KKT residual of a column */
	char stop[24];
	int64_t finished; /* columns of W that were found; if cancelled, the others are zero */
	int64_t violation_bound; /* 1 if max_violation is an upper bound only (large sparse M) */
} nmu_transform_result;

/* nmu_transform finds weights W (r x n) for the columns of M in the basis V. The weights
 * of a column do not depend on the other columns. */
NMU_API int nmu_transform(const nmu_matrix *v, const nmu_matrix *m, const nmu_transform_options *options,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);

/* nmu_transform_csr does the same for the columns of a sparse M, which is never made dense,
 * with the same weights bit for bit. It has no mask, no weights and no nan_missing. */
NMU_API int nmu_transform_csr(const nmu_matrix *v, const nmu_csr *m, const nmu_transform_options *options,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);

/* nmu_measures are those of the paper's tables. */
typedef struct nmu_measures {
	size_t size;
	double relative_error, max_violation;
	double scale, scaled_error;        /* the best factor on V W, and the relative error with it */
	double basis_zeros, weight_zeros;  /* s(V), s(W): parts of zeros, from 0 to 1 */
	double basis_hoyer, weight_hoyer;  /* sh(V), sh(W): Hoyer's measure of columns of V, rows of W */
} nmu_measures;

/* nmu_metrics measures a factorization, of whatever origin. */
NMU_API int nmu_metrics(const nmu_matrix *m, const nmu_matrix *v, const nmu_matrix *w, nmu_measures *measures, nmu_error *error);

/* nmu_biclique_options say how to look for a biclique. */
typedef struct nmu_biclique_options {
	size_t size;
	uint64_t seed;
	int64_t starts, iterations; /* default 20 and 40 */
	int64_t threads;
	const volatile int32_t *cancel;
} nmu_biclique_options;

/* nmu_biclique_result is a biclique: each of its rows is joined to each of its columns. */
typedef struct nmu_biclique_result {
	size_t size;
	int64_t rows, cols; /* how many */
	int64_t edges;      /* their product */
	int64_t bound;      /* no biclique has more edges */
	int64_t start;      /* that found it, from 1 */
} nmu_biclique_result;

/* nmu_biclique looks for a biclique with many edges in the bipartite graph of a 0/1
 * matrix. rows and cols are arrays of the caller for as many numbers as M has rows and
 * columns; they receive those of the biclique, from 0, in increasing order. */
NMU_API int nmu_biclique(const nmu_matrix *m, const nmu_biclique_options *options, int64_t *rows, int64_t *cols,
	nmu_biclique_result *result, nmu_error *error);

/* nmu_biclique_csr does the same for a sparse 0/1 matrix. */
NMU_API int nmu_biclique_csr(const nmu_csr *m, const nmu_biclique_options *options, int64_t *rows, int64_t *cols,
	nmu_biclique_result *result, nmu_error *error);

/* nmu_sha256 writes the hash of the entries of a matrix, row by row, as the command's
 * result.json has it: two factorizations with the same hashes are the same bit for
 * bit. hex is for 65 characters. */
NMU_API int nmu_sha256(const nmu_matrix *m, char *hex, nmu_error *error);

/* nmu_info is what there is. */
typedef struct nmu_info {
	size_t size;
	char version[48];
	char level[16];      /* of the kernels: generic, avx2, avx512 or neon */
	int64_t threads;     /* by default */
	const char *methods; /* all methods with their options, in JSON; it stays */
} nmu_info;

NMU_API int nmu_about(nmu_info *info, nmu_error *error);

#ifdef __cplusplus
}
#endif

#endif
