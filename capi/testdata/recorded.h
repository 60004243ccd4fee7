
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
enum {
	NMU_OK = 0,
	NMU_CANCELLED = 1,
	NMU_ESHAPE = -1,
	NMU_EOPTION = -2,
	NMU_EVALUE = -3,
	NMU_EARGUMENT = -4,
	NMU_EFORK = -5,
	NMU_EINTERNAL = -6
};
enum { NMU_FLOAT32 = 1, NMU_FLOAT64 = 2, NMU_INT32 = 3, NMU_INT64 = 4, NMU_UINT8 = 5 };
enum { NMU_OPTIONS = 0x6e6d7502 };
typedef struct nmu_matrix {
	size_t size;
	int64_t type;
	int64_t rows, cols;
	int64_t row_stride, col_stride;
	void *data;
} nmu_matrix;
typedef struct nmu_csr {
	size_t size;
	int64_t type;
	int64_t pointer_type;
	int64_t index_type;
	int64_t rows, cols, entries;
	const void *pointers;
	const void *indices;
	const void *values;
} nmu_csr;
typedef struct nmu_error {
	size_t size;
	int64_t code;
	int64_t row, col;
	double value;
	char matrix[16];
	char message[456];
} nmu_error;
typedef struct nmu_progress {
	size_t size;
	int64_t updates;
	int64_t restart;
	int64_t restarts;
	int64_t factor;
	int64_t rank;
	int64_t iteration;
	int64_t iterations;
	double relative_error;
	double elapsed;
	double remaining;
} nmu_progress;
typedef struct nmu_input {
	const char *name;
	const nmu_matrix *matrix;
} nmu_input;
typedef struct nmu_options {
	size_t size;
	int64_t version;
	const char *method;
	const char *method_options;
	const char *settings;
	const nmu_input *inputs;
	int64_t input_count;
	const volatile int32_t *cancel;
	nmu_progress *progress;
	int (*callback)(const nmu_progress *progress, void *user);
	void *user;
} nmu_options;
typedef struct nmu_block {
	int64_t rank;
	int64_t iterations_done;
	double relative_error;
	double relative_l1;
	double relative_divergence;
	int64_t lowered;
	char stop[24];
	int64_t history_length;
} nmu_block;
typedef struct nmu_result {
	size_t size;
	nmu_block *block;
	int64_t block_capacity, blocks;
	double *history;
	int64_t history_capacity, history_length;
	int64_t rank;
	int64_t iterations_done;
	double relative_error;
	double relative_l1;
	double relative_divergence;
	double relative_violation;
	double max_violation;
	int64_t violation_bound;
	double largest_entry;
	char stop[24];
	uint64_t best_seed;
	int64_t best_restart;
	int64_t restarts_begun;
	int64_t restarts_finished;
	int64_t revived;
	char missing_solver[24];
	char level[24];
	char notes[512];
	double q;
	double expected_q;
} nmu_result;
NMU_API int nmu_factor(const nmu_matrix *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);
NMU_API int nmu_factor_csr(const nmu_csr *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);
typedef struct nmu_file {
	size_t size;
	int64_t rows, cols;
	int64_t entries;
	char *row_names;
	int64_t row_names_capacity, row_names_length;
	char *col_names;
	int64_t col_names_capacity, col_names_length;
} nmu_file;
NMU_API int nmu_inspect(const nmu_options *options, nmu_file *file, nmu_error *error);
typedef struct nmu_text {
	size_t size;
	char *text;
	int64_t text_capacity, text_length;
} nmu_text;
NMU_API int nmu_look(const nmu_options *options, nmu_text *json, nmu_error *error);
typedef struct nmu_estimate_result {
	size_t size;
	int64_t type;
	int64_t memory;
	int64_t scratch;
	int64_t reads;
	int64_t writes;
} nmu_estimate_result;
NMU_API int nmu_estimate(const nmu_matrix *m, const nmu_options *options, int64_t rank, nmu_estimate_result *result, nmu_error *error);
NMU_API int nmu_estimate_csr(const nmu_csr *m, const nmu_options *options, int64_t rank, nmu_estimate_result *result, nmu_error *error);
NMU_API int nmu_improve(const nmu_matrix *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);
NMU_API int nmu_improve_csr(const nmu_csr *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error);
typedef struct nmu_transform_result {
	size_t size;
	double relative_error;
	double relative_divergence;
	double max_violation;
	int64_t violation_bound;
	int64_t iterations_done;
	double kkt;
	char stop[24];
	int64_t finished;
} nmu_transform_result;
NMU_API int nmu_transform(const nmu_matrix *v, const nmu_matrix *m, const nmu_options *options,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);
NMU_API int nmu_transform_csr(const nmu_matrix *v, const nmu_csr *m, const nmu_options *options,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);
NMU_API int nmu_update(const nmu_matrix *v, const nmu_matrix *m, const nmu_options *options, const nmu_matrix *ww, const nmu_matrix *mw,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);
NMU_API int nmu_update_csr(const nmu_matrix *v, const nmu_csr *m, const nmu_options *options, const nmu_matrix *ww, const nmu_matrix *mw,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error);
typedef struct nmu_rank_point {
	int64_t rank;
	double training_error;
	double held_out_error;
	double standard_error;
	int64_t agreeing_runs;
	double stability;
	double cophenetic;
	double dispersion;
} nmu_rank_point;
typedef struct nmu_rank_result {
	size_t size;
	nmu_rank_point *point;
	int64_t point_capacity, points;
	double *consensus;
	int64_t consensus_capacity, consensus_columns;
	int64_t rank;
	int64_t least;
	int64_t one_standard_error;
	int64_t elbow;
	int64_t at_end;
	char reason[512];
	char compared[24];
	int64_t all_runs;
	int64_t runs_finished;
	char stop[24];
	char notes[512];
} nmu_rank_result;
NMU_API int nmu_rank(const nmu_matrix *m, const nmu_options *options, nmu_rank_result *result, nmu_error *error);
NMU_API int nmu_rank_csr(const nmu_csr *m, const nmu_options *options, nmu_rank_result *result, nmu_error *error);
typedef struct nmu_consensus_point {
	int64_t rank;
	int64_t runs;
	double stability;
	double error;
	double run_error;
	double cophenetic;
	double dispersion;
	double q;
	double run_q;
	double expected_q;
} nmu_consensus_point;
typedef struct nmu_part {
	double silhouette;
	int64_t kept;
} nmu_part;
typedef struct nmu_consensus_result {
	size_t size;
	nmu_consensus_point *point;
	int64_t point_capacity, points;
	nmu_part *part;
	int64_t part_capacity, parts;
	const nmu_matrix *v, *v_low, *v_high;
	const nmu_matrix *w, *w_low, *w_high;
	double *map;
	int64_t map_capacity, map_columns;
	int64_t rank;
	char reason[512];
	char measure[24];
	int64_t observed;
	int64_t weighted;
	char resample[24];
	double level;
	uint64_t seed;
	int64_t runs;
	int64_t all_runs;
	int64_t runs_finished;
	char stop[24];
	char notes[512];
} nmu_consensus_result;
NMU_API int nmu_consensus(const nmu_matrix *m, const nmu_options *options, nmu_consensus_result *result, nmu_error *error);
NMU_API int nmu_consensus_csr(const nmu_csr *m, const nmu_options *options, nmu_consensus_result *result, nmu_error *error);
NMU_API int nmu_topics(const nmu_matrix *v, const nmu_matrix *w, const nmu_matrix *mixtures, nmu_error *error);
typedef struct nmu_measures {
	size_t size;
	double relative_error;
	double max_violation;
	double scale;
	double scaled_error;
	double basis_zeros;
	double weight_zeros;
	double basis_hoyer;
	double weight_hoyer;
	double relative_violation;
	double largest_entry;
} nmu_measures;
NMU_API int nmu_metrics(const nmu_matrix *m, const nmu_matrix *v, const nmu_matrix *w, nmu_measures *measures, nmu_error *error);
typedef struct nmu_biclique_result {
	size_t size;
	int64_t rows;
	int64_t cols;
	int64_t edges;
	int64_t bound;
	int64_t start;
} nmu_biclique_result;
NMU_API int nmu_biclique(const nmu_matrix *m, const nmu_options *options, int64_t *rows, int64_t *cols,
	nmu_biclique_result *result, nmu_error *error);
NMU_API int nmu_biclique_csr(const nmu_csr *m, const nmu_options *options, int64_t *rows, int64_t *cols,
	nmu_biclique_result *result, nmu_error *error);
typedef struct nmu_model {
	size_t size;
	char method[24];
	char method_options[1000];
	int64_t topics;
	int64_t type;
	int64_t rows, rank;
	char *names;
	int64_t names_capacity, names_length;
	int64_t max_memory;
} nmu_model;
NMU_API int nmu_model_save(const char *path, const nmu_matrix *v, const nmu_model *model, nmu_error *error);
NMU_API int nmu_model_load(const char *path, const nmu_matrix *v, nmu_model *model, nmu_error *error);
NMU_API int nmu_sha256(const nmu_matrix *m, char *hex, nmu_error *error);
typedef struct nmu_info {
	size_t size;
	char version[48];
	char level[16];
	int64_t threads;
	const char *methods;
	const char *settings;
	const char *results;
} nmu_info;
NMU_API int nmu_about(nmu_info *info, nmu_error *error);
#ifdef __cplusplus
}
#endif
#endif
