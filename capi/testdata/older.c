// older is built with recorded.h, the first header, and stays as it is: a program of a user of that version. It prints the
// hashes of V and W, and what lies behind its structs must keep its value.
#include "nmu.h"

#include <stdio.h>
#include <string.h>

enum { M = 23, N = 17, R = 4 };

#define GUARDED(type, name) struct { type s; unsigned char behind[256]; } name; memset(&name, 0, sizeof name); memset(name.behind, 0x5a, sizeof name.behind); name.s.size = sizeof name.s
#define FAIL(condition) if (condition) { fprintf(stderr, "%s; %s\n", #condition, error.s.message); return 1; }

static int kept(const unsigned char *behind) {
	for (int i = 0; i < 256; i++)
		if (behind[i] != 0x5a) return 0;
	return 1;
}

int main(void) {
	static double data[M * N], basis[M * R], weights[R * N];
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) data[i * N + j] = (i * i + 3 * i * j + 5 * j) % 7;
	nmu_matrix m = {sizeof m, NMU_FLOAT64, M, N, N, 1, data}, v = {sizeof v, NMU_FLOAT64, M, R, R, 1, basis}, w = {sizeof w, NMU_FLOAT64, R, N, N, 1, weights};
	nmu_options options = {sizeof options, NMU_OPTIONS, .method = "rnmu", .settings = "seed=1,iterations=20,restarts=2"};
	GUARDED(nmu_error, error);
	GUARDED(nmu_result, result);
	GUARDED(nmu_transform_result, fit);
	GUARDED(nmu_measures, measures);
	GUARDED(nmu_estimate_result, estimate);
	GUARDED(nmu_info, info);
	nmu_block blocks[R];
	double history[99];
	char hex[65];
	result.s.block = blocks, result.s.block_capacity = R, result.s.history = history, result.s.history_capacity = 99;
	FAIL(nmu_factor(&m, &options, &v, &w, &result.s, &error.s) != NMU_OK);
	FAIL(result.s.rank != R || result.s.blocks != R || result.s.iterations_done != 20 * R || strcmp(result.s.stop, "iterations") || blocks[R - 1].rank != R);
	FAIL(result.s.best_seed != 1 + (uint64_t)result.s.best_restart - 1 || result.s.restarts_finished != 2 || blocks[R - 1].relative_error != result.s.relative_error);
	FAIL(nmu_metrics(&m, &v, &w, &measures.s, &error.s) != NMU_OK || measures.s.largest_entry != 6 || measures.s.max_violation != result.s.max_violation);
	for (const nmu_matrix *x = &v; x; x = x == &v ? &w : NULL) {
		FAIL(nmu_sha256(x, hex, &error.s) != NMU_OK);
		puts(hex);
	}
	options.settings = "iterations=7";
	FAIL(nmu_transform(&v, &m, &options, &w, &fit.s, &error.s) != NMU_OK || fit.s.iterations_done != 7 || fit.s.finished != N);
	FAIL(nmu_estimate(&m, NULL, R, &estimate.s, &error.s) != NMU_OK || estimate.s.memory < 1);
	FAIL(nmu_about(&info.s, &error.s) != NMU_OK || !strstr(info.s.settings, "iterations"));
	options.settings = "max-iter=7";
	FAIL(nmu_factor(&m, &options, &v, &w, &result.s, &error.s) != NMU_EOPTION || !strstr(error.s.message, "did you mean iterations?"));
	FAIL(!kept(error.behind) || !kept(result.behind) || !kept(fit.behind) || !kept(measures.behind) || !kept(estimate.behind) || !kept(info.behind));
	return 0;
}
