//go:build cgo

// The functions of nmu.h, around those in Go: each refuses to run in a forked child,
// where the Go runtime has lost its threads, and runs in the default floating-point
// environment, on which the bits of the results depend.

#include "_cgo_export.h"

#include <string.h>

#ifdef _WIN32

static const int forked = 0;

#else

#include <pthread.h>

static volatile int forked;

static void in_child(void) { forked = 1; }

// Before any function can be called, and whether one ever is.
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

#endif

// environment is the control part of the floating-point environment: rounding mode,
// masks, and what becomes of subnormal numbers.
#if defined(__x86_64__)

typedef unsigned int environment;

static environment get_environment(void) { return __builtin_ia32_stmxcsr(); }
static void set_environment(environment e) { __builtin_ia32_ldmxcsr(e); }
static const environment plain = 0x1f80;

#elif defined(__aarch64__)

typedef uint64_t environment;

static environment get_environment(void) {
	environment e;
	__asm__ volatile("mrs %0, fpcr" : "=r"(e));
	return e;
}
static void set_environment(environment e) { __asm__ volatile("msr fpcr, %0" : : "r"(e)); }
static const environment plain = 0;

#else

#include <fenv.h>

typedef fenv_t environment;

static environment get_environment(void) {
	environment e;
	fegetenv(&e);
	return e;
}
static void set_environment(environment e) { fesetenv(&e); }
#define plain (*FE_DFL_ENV)

#endif

// The runtime starts threads as it is loaded, and these hand on their environment: one
// constructor before its own sets the default one, and one behind it sets the caller's.
static environment loading;

__attribute__((constructor(101))) static void before_runtime(void) {
	loading = get_environment();
	set_environment(plain);
}

__attribute__((constructor)) static void behind_runtime(void) { set_environment(loading); }

static int refuse(nmu_error *e) {
	static const char message[] = "nmu was loaded before this process was forked, and does not work in the child; "
		"start processes by exec (spawn, forkserver), or load nmu after the fork";
	nmu_error full = {sizeof full, NMU_EFORK, -1, -1};
	if (e != NULL && e->size > sizeof e->size) {
		memcpy(full.message, message, sizeof message);
		memcpy((char *)e + sizeof e->size, (char *)&full + sizeof e->size,
			(e->size < sizeof full ? e->size : sizeof full) - sizeof e->size);
	}
	return NMU_EFORK;
}

// RUN returns what a call of Go returns.
#define RUN(call)                         \
	if (forked) return refuse(error);     \
	environment saved = get_environment(); \
	set_environment(plain);               \
	int code = call;                      \
	set_environment(saved);               \
	return code

int nmu_factor(const nmu_matrix *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error) {
	RUN(nmuGoFactor((nmu_matrix *)m, NULL, (nmu_options *)options, (nmu_matrix *)v, (nmu_matrix *)w, result, error));
}

int nmu_factor_csr(const nmu_csr *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error) {
	RUN(nmuGoFactor(NULL, (nmu_csr *)m, (nmu_options *)options, (nmu_matrix *)v, (nmu_matrix *)w, result, error));
}

int nmu_improve(const nmu_matrix *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error) {
	RUN(nmuGoImprove((nmu_matrix *)m, NULL, (nmu_options *)options, (nmu_matrix *)v, (nmu_matrix *)w, result, error));
}

int nmu_improve_csr(const nmu_csr *m, const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w,
	nmu_result *result, nmu_error *error) {
	RUN(nmuGoImprove(NULL, (nmu_csr *)m, (nmu_options *)options, (nmu_matrix *)v, (nmu_matrix *)w, result, error));
}

int nmu_transform(const nmu_matrix *v, const nmu_matrix *m, const nmu_options *options,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error) {
	RUN(nmuGoTransform((nmu_matrix *)v, (nmu_matrix *)m, NULL, (nmu_options *)options, (nmu_matrix *)w, result, error));
}

int nmu_transform_csr(const nmu_matrix *v, const nmu_csr *m, const nmu_options *options,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error) {
	RUN(nmuGoTransform((nmu_matrix *)v, NULL, (nmu_csr *)m, (nmu_options *)options, (nmu_matrix *)w, result, error));
}

int nmu_update(const nmu_matrix *v, const nmu_matrix *m, const nmu_options *options, const nmu_matrix *ww, const nmu_matrix *mw,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error) {
	RUN(nmuGoUpdate((nmu_matrix *)v, (nmu_matrix *)m, NULL, (nmu_options *)options, (nmu_matrix *)ww, (nmu_matrix *)mw, (nmu_matrix *)w, result, error));
}

int nmu_update_csr(const nmu_matrix *v, const nmu_csr *m, const nmu_options *options, const nmu_matrix *ww, const nmu_matrix *mw,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error) {
	RUN(nmuGoUpdate((nmu_matrix *)v, NULL, (nmu_csr *)m, (nmu_options *)options, (nmu_matrix *)ww, (nmu_matrix *)mw, (nmu_matrix *)w, result, error));
}

int nmu_inspect(const nmu_options *options, nmu_file *file, nmu_error *error) {
	RUN(nmuGoInspect((nmu_options *)options, file, error));
}

int nmu_estimate(const nmu_matrix *m, const nmu_options *options, int64_t rank, nmu_estimate_result *result, nmu_error *error) {
	RUN(nmuGoEstimate((nmu_matrix *)m, NULL, (nmu_options *)options, rank, result, error));
}

int nmu_estimate_csr(const nmu_csr *m, const nmu_options *options, int64_t rank, nmu_estimate_result *result, nmu_error *error) {
	RUN(nmuGoEstimate(NULL, (nmu_csr *)m, (nmu_options *)options, rank, result, error));
}

int nmu_rank(const nmu_matrix *m, const nmu_options *options, nmu_rank_result *result, nmu_error *error) {
	RUN(nmuGoRank((nmu_matrix *)m, NULL, (nmu_options *)options, result, error));
}

int nmu_rank_csr(const nmu_csr *m, const nmu_options *options, nmu_rank_result *result, nmu_error *error) {
	RUN(nmuGoRank(NULL, (nmu_csr *)m, (nmu_options *)options, result, error));
}

int nmu_consensus(const nmu_matrix *m, const nmu_options *options, nmu_consensus_result *result, nmu_error *error) {
	RUN(nmuGoConsensus((nmu_matrix *)m, NULL, (nmu_options *)options, result, error));
}

int nmu_consensus_csr(const nmu_csr *m, const nmu_options *options, nmu_consensus_result *result, nmu_error *error) {
	RUN(nmuGoConsensus(NULL, (nmu_csr *)m, (nmu_options *)options, result, error));
}

int nmu_topics(const nmu_matrix *v, const nmu_matrix *w, const nmu_matrix *mixtures, nmu_error *error) {
	RUN(nmuGoTopics((nmu_matrix *)v, (nmu_matrix *)w, (nmu_matrix *)mixtures, error));
}

int nmu_metrics(const nmu_matrix *m, const nmu_matrix *v, const nmu_matrix *w, nmu_measures *measures, nmu_error *error) {
	RUN(nmuGoMetrics((nmu_matrix *)m, (nmu_matrix *)v, (nmu_matrix *)w, measures, error));
}

int nmu_biclique(const nmu_matrix *m, const nmu_options *options, int64_t *rows, int64_t *cols,
	nmu_biclique_result *result, nmu_error *error) {
	RUN(nmuGoBiclique((nmu_matrix *)m, NULL, (nmu_options *)options, rows, cols, result, error));
}

int nmu_biclique_csr(const nmu_csr *m, const nmu_options *options, int64_t *rows, int64_t *cols,
	nmu_biclique_result *result, nmu_error *error) {
	RUN(nmuGoBiclique(NULL, (nmu_csr *)m, (nmu_options *)options, rows, cols, result, error));
}

int nmu_model_save(const char *path, const nmu_matrix *v, const nmu_model *model, nmu_error *error) {
	RUN(nmuGoModelSave((char *)path, (nmu_matrix *)v, (nmu_model *)model, error));
}

int nmu_model_load(const char *path, const nmu_matrix *v, nmu_model *model, nmu_error *error) {
	RUN(nmuGoModelLoad((char *)path, (nmu_matrix *)v, model, error));
}

int nmu_sha256(const nmu_matrix *m, char *hex, nmu_error *error) {
	RUN(nmuGoSHA256((nmu_matrix *)m, hex, error));
}

int nmu_about(nmu_info *info, nmu_error *error) {
	RUN(nmuGoAbout(info, error));
}

// call_back asks the caller what it says of the progress, who may change the
// environment of this thread, which is one of the runtime.
int call_back(int (*callback)(const nmu_progress *, void *), const nmu_progress *progress, void *user) {
	int answer = callback(progress, user);
	set_environment(plain);
	return answer;
}
