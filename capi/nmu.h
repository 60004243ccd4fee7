/* nmu.h: the C interface of nmu, nonnegative matrix factorization and underapproximation.
 *
 * M >= 0 (m x n) is factored into V W, with a basis V >= 0 (m x r) and weights W >= 0
 * (r x n). The same input, options and seed give the same bits on every processor, with
 * any number of threads and any strides of the arrays.
 *
 *     nmu_matrix m = {sizeof m, NMU_FLOAT64, rows, cols, cols, 1, data};
 *     nmu_matrix v = {sizeof v, NMU_FLOAT64, rows, rank, rank, 1, basis};
 *     nmu_matrix w = {sizeof w, NMU_FLOAT64, rank, cols, cols, 1, weights};
 *     nmu_options options = {sizeof options, NMU_OPTIONS, "rnmu", NULL, "seed=1,threads=4"};
 *     nmu_error error = {sizeof error};
 *     if (nmu_factor(&m, &options, &v, &w, NULL, &error) < 0) puts(error.message);
 *
 * Structs begin with their size, which the caller sets, and grow at their ends only. Elements of arrays
 * do not grow. The library accepts the smaller
 * struct of an older header, if it ends with a field. It accepts a larger struct if the
 * further bytes are zero. A field of 0 or NULL means the default, and so does a field
 * that an initializer leaves out. Pointers to options, results and errors may be NULL. Options
 * also say NMU_OPTIONS, so that a program built with the options of versions before 1.1 is refused.
 *
 * Memory: all arrays belong to the caller. The library uses them during a call only. It
 * writes results at the end of the call, and none if the call returns an error.
 *
 * Threads: several threads may call at once, each with result arrays of its own. A call
 * starts as many threads as the options say. It computes in the default floating-point
 * environment and restores that of the caller.
 *
 * Processes: the library contains the Go runtime, which does not survive fork. In a
 * child forked after the library was loaded, every function returns NMU_EFORK. Fork
 * earlier, or exec. The runtime handles SIGSEGV, SIGBUS, SIGFPE, SIGPIPE and SIGURG, and
 * passes foreign signals on; SIGINT belongs to the caller. The library cannot be
 * unloaded, a process can load one copy only, and musl cannot load it. */
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

/* Return values of all functions. */
enum {
	NMU_OK = 0,
	NMU_CANCELLED = 1,  /* no error: the results hold what was finished before */
	NMU_ESHAPE = -1,    /* rows, columns, strides or pointers of a matrix do not fit */
	NMU_EOPTION = -2,   /* an option is unknown or out of range */
	NMU_EVALUE = -3,    /* an entry is negative or not finite: see row and col */
	NMU_EARGUMENT = -4, /* an argument is NULL, of an unknown type or misaligned */
	NMU_EFORK = -5,     /* called in a forked child */
	NMU_EINTERNAL = -6  /* an error of the library; please report it */
};

/* The types of elements. */
enum { NMU_FLOAT32 = 1, NMU_FLOAT64 = 2, NMU_INT32 = 3, NMU_INT64 = 4, NMU_UINT8 = 5 };

/* NMU_OPTIONS is the version of nmu_options. It changes only if a program must be built again. */
enum { NMU_OPTIONS = 0x6e6d7502 };

/* nmu_matrix is a dense matrix: entry (i, j) is element i*row_stride + j*col_stride of
 * data. Strides may be negative; those of a matrix that is only read may be zero. The
 * stride of a single row or column is ignored. The entries and a copy of them must fit the
 * address space. */
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

/* nmu_error describes an error. */
typedef struct nmu_error {
	size_t size;
	int64_t code;
	int64_t row, col;  /* the position of a bad value, from 0; else -1 */
	double value;      /* the bad value */
	char matrix[16];   /* the matrix with the bad value: M, V, W or the weights; else empty */
	char message[456]; /* in UTF-8, cut if it is too long; counts rows and columns from 1 */
} nmu_error;

/* nmu_progress describes the progress of a call. It may be read while the call writes it:
 * each field is consistent, but two fields may belong to two states. */
typedef struct nmu_progress {
	size_t size;
	int64_t updates; /* increases with every state */
	int64_t restart; /* from 1 */
	int64_t restarts; /* of how many */
	int64_t factor; /* factors finished before the current block */
	int64_t rank; /* of how many */
	int64_t iteration; /* of the current block */
	int64_t iterations; /* of how many */
	double relative_error; /* so far */
	double elapsed; /* in seconds */
	double remaining; /* in seconds, an estimate */
} nmu_progress;

/* nmu_input is a matrix that a setting needs. */
typedef struct nmu_input {
	const char *name; /* of the setting: mask (NMU_UINT8), weights, fix-v or fix-w (NMU_FLOAT64) */
	const nmu_matrix *matrix;
} nmu_input;

/* nmu_options are the options of a call: a method with options of its own, and settings. Both
 * texts are lists such as "solver=admm,rho=2". A comma in a value is written twice. nmu_about
 * lists options and settings. A setting that is left out has its default.
 *
 * A missing entry may have any value. All results refer to the observed entries, and each row
 * and column needs at least one. For one weight per row, use strides 1 and 0. Masks and weights
 * need a dense M.
 *
 * docs/words.md lists each setting, with the calls that it is for. Here capi/build adds that list. */
typedef struct nmu_options {
	size_t size;
	int64_t version;            /* NMU_OPTIONS */
	const char *method;         /* a name, as on the command line: nmf, gnmu, rnmu, ...; default nmf */
	const char *method_options; /* its options */
	const char *settings;
	const nmu_input *inputs; /* matrices that settings need */
	int64_t input_count;

	/* Set the flag to a nonzero value to cancel the call, from any thread or signal handler. */
	const volatile int32_t *cancel;

	/* progress is written, and callback called, a few times per second. Calls do not
	 * overlap, but may come from a thread of the library. A nonzero return value cancels
	 * the factorization. */
	nmu_progress *progress;
	int (*callback)(const nmu_progress *progress, void *user);
	void *user;
} nmu_options;

/* nmu_block describes a block: factors that are computed together. */
typedef struct nmu_block {
	int64_t rank; /* the number of factors after it */
	int64_t iterations_done; /* of the block */
	double relative_error; /* with these factors */
	double relative_l1; /* likewise, with norm=l1 */
	double relative_divergence; /* likewise, with the method kl */
	int64_t lowered; /* 1 if a penalty was lowered, since the factor would have vanished */
	char stop[24]; /* why its iterations ended */
	int64_t history_length; /* the number of its errors in the history */
} nmu_block;

/* nmu_result describes a factorization. */
typedef struct nmu_result {
	size_t size;

	/* An array of the caller for block_capacity blocks, or NULL and 0. The library sets
	 * blocks to their number, and writes the first block_capacity of them. With the setting
	 * continue it reads them first: those of the run that found V and W. */
	nmu_block *block;
	int64_t block_capacity, blocks;

	/* The same for the errors at the checks of all blocks, one block after the other, with the
	 * method kl divergences. There are none without tolerance, target-error and record. */
	double *history;
	int64_t history_capacity, history_length;

	int64_t rank; /* factors found; further columns of V and rows of W are zero */
	int64_t iterations_done; /* of all blocks */
	double relative_error; /* ||M - V W|| / ||M|| */
	double relative_l1; /* sum |M - V W| / sum |M|, with norm=l1 */
	double relative_divergence; /* D(M | V W) over that of M from its mean, with the method kl; infinite if V W is 0 where M is not */
	double relative_violation; /* ||max(0, V W - M)|| / ||M|| */
	double max_violation; /* the largest entry of V W - M, if positive */
	int64_t violation_bound; /* 1 if max_violation is an upper bound only (large sparse M) */
	double largest_entry; /* of M */
	char stop[24]; /* the reason: iterations, tolerance, target error, time limit, cancelled, ... */
	uint64_t best_seed; /* the seed of the winning run */
	int64_t best_restart; /* the number of the winning run, from 1 */
	int64_t restarts_begun; /* runs that began */
	int64_t restarts_finished; /* runs that nothing cut short; the best of them won */
	int64_t revived; /* factors that vanished under the penalties of snmf */
	char missing_solver[24]; /* the solver for missing entries and weights, if there were any */
	char level[24]; /* of the kernels: generic, avx2, avx512 or neon */
	char notes[512]; /* what a caller might not expect: penalties that leave nothing, ... */
	double q; /* the sum of w (M - V W)^2 with the weights w as given; 0 without weights */
	double expected_q; /* the expectation of q, if the weights are 1/s^2 for errors of standard deviation s */
} nmu_result;

/* nmu_factor factors M into V (m x r) and W (r x n). Their shapes determine the rank r. M may be
 * NULL, with a file in the setting input; it then has the precision of V.
 *
 * An error with the code NMU_OK or NMU_CANCELLED and a message is a warning: no checkpoint could
 * be written, or what was recognised in a file. */
NMU_API int nmu_factor(const nmu_matrix *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);

/* nmu_factor_csr does the same for a sparse M, which is never made dense. */
NMU_API int nmu_factor_csr(const nmu_csr *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);

/* nmu_file describes the matrix in a file. */
typedef struct nmu_file {
	size_t size;
	int64_t rows, cols;
	int64_t entries; /* that a sparse matrix stores, at most; -1 if the matrix is dense */

	/* Arrays of the caller for the names of rows and columns in UTF-8, each with a zero byte behind
	 * it, or NULL and 0. The library sets the lengths, 0 without names, and writes as many bytes as
	 * the capacities allow. */
	char *row_names;
	int64_t row_names_capacity, row_names_length;
	char *col_names;
	int64_t col_names_capacity, col_names_length;
} nmu_file;

/* nmu_inspect describes the matrix in the file of the setting input. */
NMU_API int nmu_inspect(const nmu_options *options, nmu_file *file, nmu_error *error);

/* nmu_text is an array of the caller for a text in UTF-8, or NULL and 0. The library sets the length, and writes as many
 * bytes as the capacity allows. */
typedef struct nmu_text {
	size_t size;
	char *text;
	int64_t text_capacity, text_length;
} nmu_text;

/* nmu_look reads the matrix in the file of the setting input, and describes it in JSON, as nmu look --json does: how the
 * file is read, the first rows and columns, the range of the entries, and the command that is advised. */
NMU_API int nmu_look(const nmu_options *options, nmu_text *json, nmu_error *error);

/* nmu_estimate_result is an upper bound on what nmu_factor takes. */
typedef struct nmu_estimate_result {
	size_t size;

	/* The type of M in a file: NMU_FLOAT32, or NMU_FLOAT64 by default. */
	int64_t type;

	int64_t memory; /* of memory beside M in memory, with the results */
	int64_t scratch; /* of the folder for scratch files */
	int64_t reads; /* of files, by an iteration of one block of factors */
	int64_t writes; /* likewise */
} nmu_estimate_result;

/* nmu_estimate estimates nmu_factor at a rank, without its entries: data of M may be NULL. If M is NULL,
 * with a file in the setting input, memory includes M, unless the file is mapped or stays where it is
 * by the setting scratch. */
NMU_API int nmu_estimate(const nmu_matrix *m, const nmu_options *options, int64_t rank, nmu_estimate_result *result, nmu_error *error);

/* nmu_estimate_csr does the same for a sparse M. Its pointers, indices and values may be NULL. */
NMU_API int nmu_estimate_csr(const nmu_csr *m, const nmu_options *options, int64_t rank, nmu_estimate_result *result, nmu_error *error);

/* nmu_improve rounds the given V and W, keeps their zeros, and makes HALS iterations on
 * the other entries, 100 by default. The method is nmf. */
NMU_API int nmu_improve(const nmu_matrix *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);

/* nmu_improve_csr does the same for a sparse M. */
NMU_API int nmu_improve_csr(const nmu_csr *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);

/* nmu_transform_result describes weights. */
typedef struct nmu_transform_result {
	size_t size;
	double relative_error; /* ||M - V W|| / ||M|| */
	double relative_divergence; /* D(M | V W) over that of M from its mean, with divergence; infinite if V W is 0 where M is not */
	double max_violation; /* the largest entry of V W - M, if positive */
	int64_t violation_bound; /* 1 if max_violation is an upper bound only (large sparse M) */
	int64_t iterations_done; /* largest number of sweeps over a column */
	double kkt; /* the largest KKT residual of a column */
	char stop[24]; /* the reason: tolerance, iterations or cancelled */
	int64_t finished; /* finished columns of W; after cancellation the others are zero */
} nmu_transform_result;

/* nmu_transform finds weights W (r x n) for the columns of M in the basis V. The weights
 * of a column do not depend on the other columns.
 *
 * They are found as the method found its own: by the divergence with kl, with columns that
 * add up to 1 with nmf and sum-to-one, else by the squared error. The settings feasible,
 * sum-to-one and divergence replace what the method says. */
NMU_API int nmu_transform(const nmu_matrix *v, const nmu_matrix *m, const nmu_options *options,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);

/* nmu_transform_csr does the same for the columns of a sparse M, which is never made dense,
 * with the same bits. It accepts no mask, no weights and no missing=allow. */
NMU_API int nmu_transform_csr(const nmu_matrix *v, const nmu_csr *m, const nmu_options *options,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);

/* nmu_update continues a factorization M = V W of the method nmf by new columns, without the earlier ones:
 * the columns of M, as many as W has. ww (r x r) and mw (m x r) hold the sums of W times its transpose, and of M
 * times the transpose of W, over the columns that the basis V has seen. Begin with zeros, and with the V of
 * nmu_factor on the first columns, which are then the first new ones. The call finds the weights W of the new
 * columns, adds their products to ww and mw, and renews V by HALS steps for the sums, in turns. It writes V, ww, mw
 * and W. The earlier columns count with the weights that they had when they were new.
 *
 * The settings iterations (default 10) and tolerance (default 1e-4) are those of the turns, and so are the fields
 * iterations and stop of the result. threads and the settings of a file in input are those of
 * nmu_transform; the other ones are refused, and so are penalties and sums of one of nmf. If the call is cancelled, V, ww and mw stay as they are. */
NMU_API int nmu_update(const nmu_matrix *v, const nmu_matrix *m, const nmu_options *options, const nmu_matrix *ww, const nmu_matrix *mw,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);

/* nmu_update_csr does the same for the columns of a sparse M, with the same bits. */
NMU_API int nmu_update_csr(const nmu_matrix *v, const nmu_csr *m, const nmu_options *options, const nmu_matrix *ww, const nmu_matrix *mw,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);

/* nmu_rank_point is what is known of a rank. A number is NaN if it was not measured. */
typedef struct nmu_rank_point {
	int64_t rank; /* that was tried */
	double training_error; /* of the best run of all entries, with the method kl a divergence */
	double held_out_error; /* at the entries that a run did not see, likewise */
	double standard_error; /* of the held-out error */
	int64_t agreeing_runs; /* runs that were compared */
	double stability; /* the mean cosine of matched columns of V */
	double cophenetic; /* correlation of the consensus matrix */
	double dispersion; /* of the consensus matrix */
} nmu_rank_point;

/* nmu_rank_result compares ranks. */
typedef struct nmu_rank_result {
	size_t size;

	/* An array of the caller for point_capacity ranks, in increasing order. The library sets
	 * points to their number, and writes the first point_capacity of them. */
	nmu_rank_point *point;
	int64_t point_capacity, points;

	/* With the setting consensus: the consensus matrices of these ranks, one after the other, by
	 * rows, each with as many rows and columns as consensus_columns, at most 1000. Column k of them
	 * is column k*(n/c) + k*(n%c)/c of the n columns of M, c being consensus_columns. */
	double *consensus;
	int64_t consensus_capacity, consensus_columns;

	int64_t rank; /* the advice; 0 if no rank is clear */
	int64_t least; /* the rank of the least held-out error; 0 if nothing was held out */
	int64_t one_standard_error; /* the smallest rank within one standard error of it; likewise */
	int64_t elbow; /* of the training error; 0 if there is none */
	int64_t at_end; /* 1 if a larger rank may be better */
	char reason[512]; /* of the advice */
	char compared[24]; /* the runs that were compared: restarts, folds, or none */
	int64_t all_runs; /* of all ranks */
	int64_t runs_finished; /* those that nothing cut short */
	char stop[24]; /* why there are fewer: time limit or cancelled */
	char notes[512]; /* of all finished runs, as in a factorization, each once */
} nmu_rank_result;

/* nmu_rank compares the ranks of the setting ranks by held-out error and stability, and advises
 * one. A sparse M is made dense. If M is NULL, with a file in the setting input, it has the
 * precision NMU_FLOAT64. */
NMU_API int nmu_rank(const nmu_matrix *m, const nmu_options *options, nmu_rank_result *result, nmu_error *error);
NMU_API int nmu_rank_csr(const nmu_csr *m, const nmu_options *options, nmu_rank_result *result, nmu_error *error);

/* nmu_consensus_point is what many runs of a rank have in common. */
typedef struct nmu_consensus_point {
	int64_t rank; /* that was tried */
	int64_t runs; /* that are compared */
	double stability; /* the mean silhouette of the parts: 1 if all runs find the same */
	double error; /* of the consensus V W, with the method kl a divergence */
	double run_error; /* the median of the runs, each of its own matrix */
	double cophenetic; /* correlation of the consensus map */
	double dispersion; /* of the consensus map */
	double q; /* the weighted sum of squares of M - V W; 0 without weights */
	double run_q; /* the least of the runs, each of its own matrix */
	double expected_q; /* the expectation of q, if the weights are 1/s^2 for errors of standard deviation s */
} nmu_consensus_point;

/* nmu_part is a part of a rank: a column of V and a row of W. */
typedef struct nmu_part {
	double silhouette; /* the mean over the runs, by 1 - cosine between columns of V */
	int64_t kept; /* the runs whose part is no outlier */
} nmu_part;

/* nmu_consensus_result compares many runs. */
typedef struct nmu_consensus_result {
	size_t size;

	/* Arrays of the caller, each NULL and 0 if it is not wanted. Point holds the ranks in increasing
	 * order, part the parts of all ranks, one rank after the other. The library sets points and
	 * parts to their numbers, and writes as many as the capacities allow. A rank without two
	 * finished runs is left out. */
	nmu_consensus_point *point;
	int64_t point_capacity, points;
	nmu_part *part;
	int64_t part_capacity, parts;

	/* Matrices of the caller, or NULL: the consensus parts in columns of V (m x p) and rows of W
	 * (p x n), and the ends of the interval of each entry. p is the number of parts of all ranks,
	 * whose parts follow each other as in part. Columns of V have the sum 1. */
	const nmu_matrix *v, *v_low, *v_high;
	const nmu_matrix *w, *w_low, *w_high;

	/* The consensus maps of these ranks, as consensus in nmu_rank_result. */
	double *map;
	int64_t map_capacity, map_columns;

	int64_t rank; /* the advice, the largest rank whose parts recur; 0 if none is clear */
	char reason[512]; /* of the advice */
	char measure[24]; /* of the errors: divergence with the method kl, else empty */
	int64_t observed; /* entries of M */
	int64_t weighted; /* 1 if the entries have weights */
	char resample[24]; /* what differed from run to run beside the start */
	double level; /* the share of the runs that an interval holds */
	uint64_t seed; /* of the first run */
	int64_t runs; /* for each rank */
	int64_t all_runs; /* of all ranks */
	int64_t runs_finished; /* those that nothing cut short */
	char stop[24]; /* why there are fewer: time limit or cancelled */
	char notes[512]; /* of all finished runs, as in a factorization, each once, and on parts of fewer than two runs */
} nmu_consensus_result;

/* nmu_consensus makes many runs for each rank of the setting ranks and compares them: how far they
 * find the same parts, what the parts have in common, and how far each entry can be trusted. If M is
 * NULL, with a file in the setting input, it has the precision of v in the result, without one
 * NMU_FLOAT64. */
NMU_API int nmu_consensus(const nmu_matrix *m, const nmu_options *options, nmu_consensus_result *result, nmu_error *error);
NMU_API int nmu_consensus_csr(const nmu_csr *m, const nmu_options *options, nmu_consensus_result *result, nmu_error *error);

/* nmu_topics scales V and W so that the columns of V add up to 1, as distributions. It writes W
 * with columns scaled likewise to mixtures (r x n), unless that is NULL. */
NMU_API int nmu_topics(const nmu_matrix *v, const nmu_matrix *w, const nmu_matrix *mixtures, nmu_error *error);

/* nmu_measures are the measures in the paper's tables. */
typedef struct nmu_measures {
	size_t size;
	double relative_error; /* ||M - V W|| / ||M|| */
	double max_violation; /* the largest entry of V W - M, if positive */
	double scale; /* the number that fits V W to M best */
	double scaled_error; /* the relative error of V W times it */
	double basis_zeros; /* s(V): the share of zeros, from 0 to 1 */
	double weight_zeros; /* s(W), likewise */
	double basis_hoyer; /* sh(V): Hoyer's measure of columns of V */
	double weight_hoyer; /* sh(W): of rows of W */
	double relative_violation; /* ||max(0, V W - M)|| / ||M|| */
	double largest_entry; /* the largest entry of M */
} nmu_measures;

/* nmu_metrics measures a factorization from any program. */
NMU_API int nmu_metrics(const nmu_matrix *m, const nmu_matrix *v, const nmu_matrix *w, nmu_measures *measures, nmu_error *error);

/* nmu_biclique_result is a biclique: each of its rows is joined to each of its columns. */
typedef struct nmu_biclique_result {
	size_t size;
	int64_t rows; /* the number of rows */
	int64_t cols; /* the number of columns */
	int64_t edges; /* their product */
	int64_t bound; /* no biclique has more edges */
	int64_t start; /* the number of the start that found it, from 1 */
} nmu_biclique_result;

/* nmu_biclique looks for a biclique with many edges in the bipartite graph of a 0/1
 * matrix. rows and cols are arrays of the caller with as many elements as M has rows and
 * columns. They receive the indices of the biclique, from 0, in increasing order. */
NMU_API int nmu_biclique(const nmu_matrix *m, const nmu_options *options, int64_t *rows, int64_t *cols,
	nmu_biclique_result *result, nmu_error *error);

/* nmu_biclique_csr does the same for a sparse 0/1 matrix. */
NMU_API int nmu_biclique_csr(const nmu_csr *m, const nmu_options *options, int64_t *rows, int64_t *cols,
	nmu_biclique_result *result, nmu_error *error);

/* nmu_model describes a model: a basis V with what nmu_transform needs for new columns. Go, C,
 * Python, R and the command read and write the same files of models. */
typedef struct nmu_model {
	size_t size;
	char method[24];           /* by which V was found; empty: rnmu */
	char method_options[1000]; /* its options, as in nmu_options */
	int64_t topics;            /* 1 if the columns of V add up to 1, as nmu_topics scales them */
	int64_t type;              /* of the numbers in the file; nmu_model_save ignores it */
	int64_t rows, rank;        /* of V; likewise */

	/* The names of the rows of V in UTF-8, each with a zero byte behind it, in names_length bytes;
	 * 0 bytes: the rows have no names. nmu_model_load sets names_length, and writes the first
	 * names_capacity bytes to an array of the caller. */
	char *names;
	int64_t names_capacity, names_length;

	int64_t max_memory; /* nmu_model_load: bytes that reading the file may take; 0: the free memory */
} nmu_model;

/* nmu_model_save writes a model to the file path, which replaces an earlier one when it is complete. */
NMU_API int nmu_model_save(const char *path, const nmu_matrix *v, const nmu_model *model, nmu_error *error);

/* nmu_model_load reads a model from a file, or from the folder of a run of nmu factor. It writes the
 * basis to V (rows x rank), which converts numbers of another type. If V is NULL, only the model is
 * written, with the sizes that V and the names need. */
NMU_API int nmu_model_load(const char *path, const nmu_matrix *v, nmu_model *model, nmu_error *error);

/* nmu_sha256 writes the hash of the entries of a matrix, row by row, to hex, which needs
 * 65 characters. It is the hash in result.json: equal hashes mean equal bits. */
NMU_API int nmu_sha256(const nmu_matrix *m, char *hex, nmu_error *error);

/* nmu_info describes the library and this machine. */
typedef struct nmu_info {
	size_t size;
	char version[48];
	char level[16];      /* of the kernels: generic, avx2, avx512 or neon */
	int64_t threads;     /* by default */
	const char *methods;  /* all methods with their options, in JSON; stays valid */
	const char *settings; /* all settings, with the calls that they are for; likewise */
	const char *results;  /* the fields of results; likewise */
} nmu_info;

NMU_API int nmu_about(nmu_info *info, nmu_error *error);

#ifdef __cplusplus
}
#endif

#endif
