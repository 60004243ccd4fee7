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

// run returns what the call returns in Go.
static int run(const call *c) {
	if (forked) return refuse(c->error);
	environment saved = get_environment();
	set_environment(plain);
	int code = nmuGo((call *)c);
	set_environment(saved);
	return code;
}

// FUNCTION defines a function of nmu.h, and PAIR one for a dense M and one for a sparse M, whose further
// parameters are in brackets. Behind them are the fields of the call.
#define FUNCTION(name, number, parameters, ...) \
	int name parameters { return run(&(call){number, error, __VA_ARGS__}); }
#define PAIR(name, number, parameters, ...) \
	FUNCTION(name, number, (const nmu_matrix *m, AND parameters), .m = m, __VA_ARGS__) \
	FUNCTION(name##_csr, number, (const nmu_csr *m, AND parameters), .sparse = m, __VA_ARGS__)
#define AND(...) __VA_ARGS__

PAIR(nmu_factor, FACTOR, (const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w, nmu_result *result, nmu_error *error),
	.options = options, .v = v, .w = w, .result = result)
PAIR(nmu_improve, IMPROVE, (const nmu_options *options, const nmu_matrix *v, const nmu_matrix *w, nmu_result *result, nmu_error *error),
	.options = options, .v = v, .w = w, .result = result)
FUNCTION(nmu_transform, TRANSFORM, (const nmu_matrix *v, const nmu_matrix *m, const nmu_options *options, const nmu_matrix *w,
	nmu_transform_result *result, nmu_error *error), .v = v, .m = m, .options = options, .w = w, .result = result)
FUNCTION(nmu_transform_csr, TRANSFORM, (const nmu_matrix *v, const nmu_csr *m, const nmu_options *options, const nmu_matrix *w,
	nmu_transform_result *result, nmu_error *error), .v = v, .sparse = m, .options = options, .w = w, .result = result)
FUNCTION(nmu_update, UPDATE, (const nmu_matrix *v, const nmu_matrix *m, const nmu_options *options, const nmu_matrix *ww, const nmu_matrix *mw,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error), .v = v, .m = m, .options = options, .ww = ww, .mw = mw, .w = w, .result = result)
FUNCTION(nmu_update_csr, UPDATE, (const nmu_matrix *v, const nmu_csr *m, const nmu_options *options, const nmu_matrix *ww, const nmu_matrix *mw,
	const nmu_matrix *w, nmu_transform_result *result, nmu_error *error), .v = v, .sparse = m, .options = options, .ww = ww, .mw = mw, .w = w, .result = result)
FUNCTION(nmu_inspect, INSPECT, (const nmu_options *options, nmu_file *file, nmu_error *error), .options = options, .result = file)
FUNCTION(nmu_look, LOOK, (const nmu_options *options, nmu_text *json, nmu_error *error), .options = options, .result = json)
PAIR(nmu_estimate, ESTIMATE, (const nmu_options *options, int64_t rank, nmu_estimate_result *result, nmu_error *error),
	.options = options, .rank = rank, .result = result)
PAIR(nmu_rank, RANK, (const nmu_options *options, nmu_rank_result *result, nmu_error *error), .options = options, .result = result)
PAIR(nmu_consensus, CONSENSUS, (const nmu_options *options, nmu_consensus_result *result, nmu_error *error), .options = options, .result = result)
FUNCTION(nmu_topics, TOPICS, (const nmu_matrix *v, const nmu_matrix *w, const nmu_matrix *mixtures, nmu_error *error),
	.v = v, .w = w, .mixtures = mixtures)
FUNCTION(nmu_metrics, METRICS, (const nmu_matrix *m, const nmu_matrix *v, const nmu_matrix *w, nmu_measures *measures, nmu_error *error),
	.m = m, .v = v, .w = w, .result = measures)
PAIR(nmu_biclique, BICLIQUE, (const nmu_options *options, int64_t *rows, int64_t *cols, nmu_biclique_result *result, nmu_error *error),
	.options = options, .rows = rows, .cols = cols, .result = result)
FUNCTION(nmu_model_save, MODEL_SAVE, (const char *path, const nmu_matrix *v, const nmu_model *model, nmu_error *error),
	.path = path, .v = v, .result = (nmu_model *)model)
FUNCTION(nmu_model_load, MODEL_LOAD, (const char *path, const nmu_matrix *v, nmu_model *model, nmu_error *error),
	.path = path, .v = v, .result = model)
FUNCTION(nmu_sha256, SHA256, (const nmu_matrix *m, char *hex, nmu_error *error), .m = m, .result = hex)
FUNCTION(nmu_about, ABOUT, (nmu_info *info, nmu_error *error), .result = info)

// call_back asks the caller what it says of the progress, who may change the
// environment of this thread, which is one of the runtime.
int call_back(int (*callback)(const nmu_progress *, void *), const nmu_progress *progress, void *user) {
	int answer = callback(progress, user);
	set_environment(plain);
	return answer;
}
