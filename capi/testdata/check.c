// check tests libnmu from C. Without arguments it checks what holds for any caller; with drawn and METHOD OPTIONS
// SETTINGS triples it prints the hashes of what they find, which the caller compares with those of other doors, and so it
// does with agreement and METHOD SETTINGS pairs for many runs.
#include "check.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void errors(void) {
	problem *p = new_problem(NMU_FLOAT64, 2);
	nmu_matrix m = p->m.at, *v = &p->v.at, *w = &p->w.at;
	CHECK(nmu_factor(NULL, NULL, v, w, NULL, &last) == NMU_EARGUMENT && last.code == NMU_EARGUMENT);
	CHECK(nmu_factor(&m, NULL, v, NULL, NULL, NULL) == NMU_EARGUMENT);
	CHECK(nmu_factor(&m, NULL, w, v, NULL, &last) == NMU_ESHAPE && strstr(last.message, "V 4 x 17"));
	m.type = 9;
	CHECK(nmu_factor(&m, NULL, v, w, NULL, &last) == NMU_EARGUMENT);
	m.type = NMU_FLOAT32;
	CHECK(nmu_factor(&m, NULL, v, w, NULL, &last) == NMU_EARGUMENT && strstr(last.message, "it must be NMU_FLOAT32"));
	m = p->m.at, m.rows = 1LL << 62;
	CHECK(nmu_factor(&m, NULL, v, w, NULL, &last) == NMU_ESHAPE);
	m = p->m.at, m.data = (char *)m.data + 1;
	CHECK(nmu_factor(&m, NULL, v, w, NULL, &last) == NMU_EARGUMENT);
	m = p->m.at, m.size = 3;
	CHECK(nmu_factor(&m, NULL, v, w, NULL, &last) == NMU_EARGUMENT);
	nmu_matrix shared = *v;
	shared.row_stride = shared.col_stride;
	CHECK(nmu_factor(&p->m.at, NULL, &shared, w, NULL, &last) == NMU_ESHAPE && strstr(last.message, "share"));
	nmu_options o = quick("nmf", "rho");
	CHECK(run(p, &o, NULL) == NMU_EOPTION);
	o = quick("gmu", NULL);
	CHECK(run(p, &o, NULL) == NMU_EOPTION && strstr(last.message, "gmu"));
	o = quick("rnmu", "steps=0");
	CHECK(run(p, &o, NULL) == NMU_EOPTION);
	*(double *)entry(&p->m.at, 5, 6) = -2;
	o = quick("nmf", NULL);
	CHECK(run(p, &o, NULL) == NMU_EVALUE && last.row == 5 && last.col == 6 && last.value == -2 && !strcmp(last.matrix, "M"));
	CHECK(strstr(last.message, "row 6, column 7 of M"));
	struct { size_t size; int64_t code; } old = {sizeof old}; // an older, smaller struct
	CHECK(nmu_factor(&p->m.at, &o, v, w, NULL, (nmu_error *)&old) == NMU_EVALUE && old.code == NMU_EVALUE);
	CHECK(intact(&p->v, 0) && intact(&p->w, 0)); // nothing was written by all that
	free(p);

	p = new_problem(NMU_FLOAT64, 0);
	o = quick("nmf", ""), o.inputs = (nmu_input *)8, o.input_count = 3, o.size = offsetof(nmu_options, inputs);
	CHECK(run(p, &o, NULL) == NMU_OK); // of an older header, which has none of that
	CHECK(nmu_transform_csr(&p->v.at, NULL, NULL, &p->w.at, NULL, &last) == NMU_EARGUMENT);
	struct { nmu_options o; int64_t more; } newer = {quick("nmf", ""), 0};
	newer.o.size = sizeof newer;
	CHECK(run(p, &newer.o, NULL) == NMU_OK);
	newer.more = 1;
	CHECK(run(p, &newer.o, NULL) == NMU_EARGUMENT);
	o = quick("nmf", NULL), o.settings = "init=given,iterations=20";
	nmu_result r = {sizeof r};
	CHECK(run(p, &o, &r) == NMU_OK && r.best_restart == 1);
	nmu_result before = r;
	o.method = NULL, o.settings = "iterations=20";
	CHECK(nmu_improve(&p->m.at, &o, &p->v.at, &p->w.at, &r, &last) == NMU_OK && r.relative_error < before.relative_error * 1.01);
	free(p);
}

// models: what is saved is loaded, with the weights that the method says, and bad arguments are refused.
static void models(void) {
	char path[] = "/tmp/nmu-model-XXXXXX", names[4 * M], kept[4 * M], want[65], got[65];
	int file = mkstemp(path);
	CHECK(file >= 0 && close(file) == 0);
	for (int i = 0; i < M; i++) snprintf(names + 4 * i, 4, "r%02d", i);
	for (int order = 0; order < ORDERS; order++) {
		problem *p = new_problem(NMU_FLOAT32, order);
		nmu_options o = quick("kl", "solver=coordinate");
		CHECK(run(p, &o, NULL) == NMU_OK);
		nmu_model a = {sizeof a, "kl", "solver=coordinate", .topics = 1, .names = names, .names_length = sizeof names};
		CHECK(nmu_model_save(path, &p->v.at, &a, &last) == NMU_OK && intact(&p->v, 1));
		nmu_model b = {.size = sizeof b};
		CHECK(nmu_model_load(path, NULL, &b, &last) == NMU_OK);
		CHECK(b.type == NMU_FLOAT32 && b.rows == M && b.rank == R && b.topics == 1 && !strcmp(b.method, "kl") && b.names_length == sizeof names);
		hash(&p->v.at, want);
		nmu_model little = {.size = sizeof little, .max_memory = 1000}, negative = {.size = sizeof negative, .max_memory = -1};
		CHECK(nmu_model_load(path, NULL, &little, &last) == NMU_EOPTION && strstr(last.message, "of memory; the limit is 1 KB"));
		CHECK(nmu_model_load(path, NULL, &negative, &last) == NMU_EOPTION && strstr(last.message, "max_memory"));
		array v;
		place(&v, NMU_FLOAT32, M, R, order);
		memset(kept, 'x', sizeof kept);
		b.names = kept, b.names_capacity = 8;
		CHECK(nmu_model_load(path, &v.at, &b, &last) == NMU_OK && !memcmp(kept, names, 8) && kept[8] == 'x' && intact(&v, 1));
		b.names_capacity = sizeof kept;
		CHECK(nmu_model_load(path, &v.at, &b, &last) == NMU_OK && !memcmp(kept, names, sizeof kept));
		hash(&v.at, got);
		CHECK(!strcmp(got, want));
		CHECK(nmu_model_load(path, &p->m.at, &b, &last) == NMU_ESHAPE && nmu_model_load(NULL, &v.at, &b, &last) == NMU_EARGUMENT);
		a.names_length--;
		CHECK(nmu_model_save(path, &v.at, &a, &last) == NMU_ESHAPE && strstr(last.message, "names"));
		a.names_length = 0, a.method[0] = 'x';
		CHECK(nmu_model_save(path, &v.at, &a, &last) == NMU_EOPTION && nmu_model_save(path, NULL, &a, &last) == NMU_EARGUMENT);
		memset(a.method, 'x', sizeof a.method);
		CHECK(nmu_model_save(path, &v.at, &a, &last) == NMU_EARGUMENT && nmu_model_load("/nowhere", NULL, &b, &last) == NMU_EOPTION);
		free(p);
	}
	CHECK(unlink(path) == 0);
}

// updates checks that new columns have the same bits in any order, and sums of their products.
static void updates(void) {
	char want[65], got[65];
	for (int order = 0; order < ORDERS; order++) {
		problem *p = new_problem(NMU_FLOAT64, order);
		nmu_options o = quick("nmf", NULL);
		CHECK(run(p, &o, NULL) == NMU_OK);
		array ww, mw;
		place(&ww, NMU_FLOAT64, R, R, order), place(&mw, NMU_FLOAT64, M, R, order);
		for (int k = 0; k < R; k++) {
			for (int l = 0; l < R; l++) *(double *)entry(&ww.at, k, l) = 0;
			for (int i = 0; i < M; i++) *(double *)entry(&mw.at, i, k) = 0;
		}
		nmu_options t = {sizeof t, NMU_OPTIONS, .settings = order % 2 ? "iterations=3,tolerance=1e-300,threads=1" : "iterations=3,tolerance=1e-300"};
		nmu_transform_result r = {sizeof r};
		for (int time = 1; time <= 2; time++) {
			CHECK(nmu_update(&p->v.at, &p->m.at, &t, &ww.at, &mw.at, &p->w.at, &r, &last) == NMU_OK && r.iterations_done == 3);
			CHECK(intact(&p->v, 1) && intact(&p->w, 1) && intact(&ww, 1) && intact(&mw, 1));
			double sum = -*(double *)entry(&ww.at, 1, 2); // once W Wᵀ
			for (int j = 0; j < N; j++) sum += *(double *)entry(&p->w.at, 1, j) * *(double *)entry(&p->w.at, 2, j);
			CHECK(time == 2 || (sum < 1e-9 && sum > -1e-9));
		}
		hash(&p->v.at, order ? got : want);
		CHECK(!order || !strcmp(got, want));
		const char *refused[] = {"feasible=true", "sum-to-one=true", "divergence=true", "init=given"};
		for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
			t.settings = refused[k];
			CHECK(nmu_update(&p->v.at, &p->m.at, &t, &ww.at, &mw.at, &p->w.at, &r, &last) == NMU_EOPTION && strstr(last.message, "nmu_update"));
		}
		t.settings = NULL, t.method = "kl";
		CHECK(nmu_update(&p->v.at, &p->m.at, &t, &ww.at, &mw.at, &p->w.at, &r, &last) == NMU_EOPTION && strstr(last.message, "choose nmf"));
		t.method = "nmf", t.method_options = "l2-v=1,l2-w=1";
		CHECK(nmu_update(&p->v.at, &p->m.at, &t, &ww.at, &mw.at, &p->w.at, &r, &last) == NMU_EOPTION && strstr(last.message, "penalties"));
		t.method_options = NULL;
		CHECK(nmu_update(&p->v.at, &p->m.at, &t, &mw.at, &mw.at, &p->w.at, &r, &last) == NMU_ESHAPE && strstr(last.message, "the sums are 23 x 4"));
		hash(&p->v.at, got);
		CHECK(!strcmp(got, want)); // nothing was written by all that
		free(p);
	}
}

// sparse: pointers and indices of either size are read.
static void sparse(void) {
	int32_t pointers[] = {0, 2, 3, 5}, indices[] = {1, 2, 0, 1, 2};
	int64_t wide[] = {0, 2, 3, 5}, wider[] = {1, 2, 0, 1, 2};
	double values[] = {1, 1, 1, 1, 1};
	nmu_csr c[] = {{sizeof *c, NMU_FLOAT64, NMU_INT32, NMU_INT32, 3, 3, 5, pointers, indices, values}, {sizeof *c, NMU_FLOAT64, NMU_INT64, NMU_INT64, 3, 3, 5, wide, wider, values}};
	char got[2][65];
	for (int which = 0; which < 2; which++) {
		array v, w;
		place(&v, NMU_FLOAT64, 3, 2, 1), place(&w, NMU_FLOAT64, 2, 3, 2);
		nmu_result r = {sizeof r};
		CHECK(nmu_factor_csr(&c[which], NULL, &v.at, &w.at, &r, &last) == NMU_OK && r.relative_error < 1e-3 && intact(&v, 1) && intact(&w, 1));
		hash(&v.at, got[which]);
	}
	CHECK(!strcmp(got[0], got[1]));
}

static int gap(int i, int j) { return (i + 2 * j) % 5 == 1; }

// with_gaps is new_problem with x where entries are missing.
static problem *with_gaps(int64_t type, int order, double x) {
	problem *p = new_problem(type, order);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			if (!gap(i, j)) continue;
			else if (type == NMU_FLOAT64) *(double *)entry(&p->m.at, i, j) = x;
			else *(float *)entry(&p->m.at, i, j) = x;
	return p;
}

// drawn prints what a method finds with settings, in either precision, and checks that it and the weights of the columns in
// that basis are the same in every order, and that a mask says the same as NaN, whatever is behind it.
static void drawn(const char *method, const char *options, const char *settings) {
	int gaps = strstr(settings, "missing=allow") != NULL;
	uint8_t across[M * N], down[2 * N * M];
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) across[i * N + j] = down[2 * (j * M + M - 1 - i)] = gap(i, j) ? 0 : 1 + j;
	const nmu_matrix masks[] = {
		{sizeof *masks, NMU_UINT8, M, N, N, 1, across}, {sizeof *masks, NMU_UINT8, M, N, -2, 2 * M, down + 2 * (M - 1)},
	};
	for (int64_t type = NMU_FLOAT64; type >= NMU_FLOAT32; type--) {
		char want[3][65], got[3][65];
		for (int order = 0; order < ORDERS; order++) {
			problem *p = gaps ? with_gaps(type, order, order == 0 ? NAN : order % 2 ? -INFINITY : 1e30) : new_problem(type, order);
			nmu_input mask = {"mask", &masks[order % 2]};
			nmu_options o = {sizeof o, NMU_OPTIONS, method, options, settings, &mask, gaps && order > 0};
			nmu_block blocks[R];
			nmu_result r = {.size = sizeof r, .block = blocks, .block_capacity = R};
			CHECK(run(p, &o, &r) == NMU_OK && intact(&p->v, 1) && intact(&p->w, 1));
			CHECK(r.rank == R && r.blocks > 0 && blocks[r.blocks - 1].rank == R && r.best_restart <= r.restarts_begun);
			nmu_measures x = {sizeof x};
			CHECK(gaps || nmu_metrics(&p->m.at, &p->v.at, &p->w.at, &x, &last) == NMU_OK);
			CHECK(gaps || (x.relative_error - r.relative_error < 1e-5 && r.relative_error - x.relative_error < 1e-5));
			hash(&p->v.at, got[0]), hash(&p->w.at, got[1]);
			o.method = o.method_options = NULL, o.settings = gaps ? "missing=allow" : order % 2 ? "threads=1" : NULL;
			nmu_transform_result t = {sizeof t};
			CHECK(nmu_transform(&p->v.at, &p->m.at, &o, &p->w.at, &t, &last) == NMU_OK && intact(&p->w, 1) && t.finished == N);
			hash(&p->w.at, got[2]);
			if (order == 0) memcpy(want, got, sizeof want);
			CHECK(!memcmp(want, got, sizeof want));
			free(p);
		}
		printf("%s %s%c", want[0], want[1], type == NMU_FLOAT64 ? ' ' : '\n');
	}
}

// agreement prints the hashes of V, W, their intervals and the map of rank 3, with settings, in one of
// the orders, and checks what else is found.
static void agreement(const char *method, const char *settings, int order) {
	problem *p = new_problem(NMU_FLOAT64, order);
	nmu_options o = {sizeof o, NMU_OPTIONS, .method = method, .settings = settings};
	nmu_consensus_point points[3];
	nmu_part parts[6];
	array places[6];
	double map[2][N][N];
	for (int i = 0; i < 6; i++) place(&places[i], NMU_FLOAT64, i < 3 ? M : 5, i < 3 ? 5 : N, (order + i) % ORDERS);
	nmu_consensus_result r = {
		.size = sizeof r, .point = points, .point_capacity = 3, .part = parts, .part_capacity = 6, .v = &places[0].at, .v_low = &places[1].at,
		.v_high = &places[2].at, .w = &places[3].at, .w_low = &places[4].at, .w_high = &places[5].at, .map = &map[0][0][0], .map_capacity = sizeof map / sizeof map[0][0][0],
	};
	CHECK(nmu_consensus(&p->m.at, &o, &r, &last) == NMU_OK && r.points == 2 && r.parts == 5 && r.map_columns == N && r.all_runs == 2 * r.runs);
	CHECK(points[0].rank == 2 && points[1].rank == 3 && parts[4].kept <= points[1].runs && r.observed == M * N);
	double sum = (parts[0].silhouette + parts[1].silhouette) / 2 - points[0].stability;
	CHECK(sum < 1e-12 && sum > -1e-12 && map[1][3][3] == 1);
	for (int i = 0; i < 6; i++) {
		CHECK(intact(&places[i], 1));
		nmu_matrix a = places[i].at; // of rank 3
		a.data = i < 3 ? entry(&a, 0, 2) : entry(&a, 2, 0), *(i < 3 ? &a.cols : &a.rows) = 3;
		char hex[65];
		hash(&a, hex);
		printf("%s ", hex);
	}
	nmu_matrix a = {sizeof a, NMU_FLOAT64, N, N, N, 1, map[1]};
	char hex[65];
	hash(&a, hex);
	puts(hex);
	nmu_matrix *w = &places[3].at, *high = &places[5].at;
	w->rows = 4;
	CHECK(nmu_consensus(&p->m.at, &o, &r, &last) == NMU_ESHAPE && strstr(last.message, "W is 4 x 17, and for 5 parts of all ranks must be 5 x 17"));
	w->rows = 5, high->type = NMU_FLOAT32;
	CHECK(nmu_consensus(&p->m.at, &o, &r, &last) == NMU_EARGUMENT);
	r.part_capacity = -1, high->type = NMU_FLOAT64;
	CHECK(nmu_consensus(&p->m.at, &o, &r, &last) == NMU_EARGUMENT && strstr(last.message, "part_capacity"));
	o.settings = "ranks=2,,3,init=given";
	CHECK(nmu_consensus(&p->m.at, &o, NULL, &last) == NMU_EOPTION && strstr(last.message, "init=given"));
	o.settings = "ranks=2,runs=2,iterations=5";
	CHECK(nmu_consensus(&p->m.at, &o, NULL, &last) == NMU_OK && nmu_consensus(NULL, &o, NULL, &last) == NMU_EARGUMENT);
	free(p);
}

// files: what is known of a matrix in a file before it is read, and what a factorization takes.
static void files(void) {
	char path[] = "/tmp/nmu-table-XXXXXX", settings[200], rows[16], cols[4];
	int file = mkstemp(path);
	const char table[] = "name;x;y;z\nfirst;1,5;2;3\nsecond;4;5;6\n";
	CHECK(file >= 0 && write(file, table, sizeof table - 1) == sizeof table - 1 && close(file) == 0);
	snprintf(settings, sizeof settings, "input=%s,format=csv,skip-columns=y,sep=semicolon,decimal=comma", path);
	nmu_options o = {sizeof o, NMU_OPTIONS, .settings = settings};
	memset(cols, 'x', sizeof cols);
	nmu_file f = {.size = sizeof f, .row_names = rows, .row_names_capacity = sizeof rows, .col_names = cols, .col_names_capacity = 3};
	CHECK(nmu_inspect(&o, &f, &last) == NMU_OK && f.rows == 2 && f.cols == 2 && f.entries == -1);
	CHECK(f.row_names_length == 13 && !memcmp(rows, "first\0second", 13) && f.col_names_length == 4 && !memcmp(cols, "x\0zx", 4));
	char json[2000] = "";
	nmu_text t = {sizeof t, json, sizeof json - 1};
	CHECK(nmu_look(&o, &t, &last) == NMU_OK && t.text_length == (int64_t)strlen(json) && strstr(json, "\"schema\": \"nmu-look/1\"") && strstr(json, "\"largest\": 6"));
	t.text_capacity = 10;
	json[10] = '!';
	CHECK(nmu_look(&o, &t, &last) == NMU_OK && json[10] == '!' && t.text_length > 10 && nmu_look(NULL, &t, &last) == NMU_EOPTION);
	int32_t set = 1; // ends the reading as well
	o.cancel = &set;
	CHECK(nmu_inspect(&o, &f, &last) == NMU_CANCELLED && nmu_look(&o, &t, &last) == NMU_CANCELLED);
	o.cancel = NULL;
	f.col_names = NULL;
	CHECK(nmu_inspect(&o, &f, &last) == NMU_EARGUMENT && nmu_inspect(NULL, &f, &last) == NMU_EOPTION);
	nmu_estimate_result small = {sizeof small}, large = {sizeof large}, r = {sizeof r, .type = NMU_FLOAT32};
	CHECK(nmu_estimate(NULL, &o, 1, &r, &last) == NMU_OK && r.memory > 0 && r.scratch == 0);
	strcat(settings, ",max-memory=100");
	double v[2], w[2];
	nmu_matrix vv = {sizeof vv, NMU_FLOAT64, 2, 1, 1, 1, v}, ww = {sizeof ww, NMU_FLOAT64, 1, 2, 2, 1, w};
	CHECK(nmu_factor(NULL, &o, &vv, &ww, NULL, &last) == NMU_EOPTION && strstr(last.message, "memory"));
	unlink(path);

	nmu_matrix m = {sizeof m, NMU_FLOAT64, 100000, 1000, 1000, 1, NULL};
	nmu_csr c = {.size = sizeof c, .type = NMU_FLOAT64, .rows = 100000, .cols = 1000, .entries = 500000};
	nmu_options paper = {.size = sizeof paper, .version = NMU_OPTIONS, .method = "rnmu"};
	CHECK(nmu_estimate(&m, &paper, 10, &large, &last) == NMU_OK && nmu_estimate_csr(&c, &paper, 10, &small, &last) == NMU_OK && 0 < small.memory && small.memory < large.memory);
	CHECK(nmu_estimate(&m, &paper, 20, &small, &last) == NMU_OK && large.memory < small.memory);
	CHECK(nmu_estimate(&m, NULL, 0, &small, &last) == NMU_EOPTION && nmu_estimate(NULL, NULL, 1, &small, &last) == NMU_EARGUMENT);
	m.rows = INT64_MAX;
	CHECK(nmu_estimate(&m, NULL, 1, &small, &last) == NMU_ESHAPE);
	c.entries = INT64_MAX;
	CHECK(nmu_estimate_csr(&c, NULL, 1, &small, &last) == NMU_ESHAPE);
	m.rows = 100000;
	o.settings = "sep=comma";
	CHECK(nmu_estimate(&m, &o, 1, &small, &last) == NMU_EOPTION && strstr(last.message, "the setting sep is for a matrix in a file"));
}

// inputs: what is wrong with matrices that settings need is said before anything is written.
static void inputs(void) {
	uint8_t one = 1;
	double unit[2] = {3};
	nmu_matrix mask = {sizeof mask, NMU_UINT8, M, N, 0, 0, &one}, none = mask, weights = {sizeof weights, NMU_FLOAT64, M, N, 0, 0, unit}, odd = weights;
	none.data = NULL, odd.data = (char *)unit + 1;
	const struct { nmu_input in; int64_t count; int code; const char *says; } bad[] = {
		{{"mask", &weights}, 1, NMU_EARGUMENT, "NMU_UINT8"}, {{"weights", &mask}, 1, NMU_EARGUMENT, "NMU_FLOAT64"}, {{"masks", &mask}, 1, NMU_EOPTION, "fix-v"},
		{{NULL, &mask}, 1, NMU_EARGUMENT, ""}, {{"mask", &mask}, -1, NMU_EARGUMENT, ""}, {{"mask", &none}, 1, NMU_EARGUMENT, "NULL"}, {{"weights", &odd}, 1, NMU_EARGUMENT, ""},
	};
	problem *p = new_problem(NMU_FLOAT64, 2);
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		nmu_options o = {sizeof o, NMU_OPTIONS, .inputs = &bad[k].in, .input_count = bad[k].count};
		CHECK(run(p, &o, NULL) == bad[k].code && strstr(last.message, bad[k].says));
	}
	CHECK(intact(&p->v, 0) && intact(&p->w, 0));
	free(p);
}

static double seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int32_t flag;
static nmu_progress progress = {sizeof progress};

static int called(const nmu_progress *p, void *user) { return p->updates > 0 && ++*(int *)user == 2; }

static void *cancel_soon(void *unused) {
	while (*(volatile int64_t *)&progress.updates == 0) usleep(1000);
	__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
	return unused;
}

static void *cancel_later(void *unused) {
	usleep(100000);
	__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
	return unused;
}

enum { FACTOR, IMPROVE, TRANSFORM, UPDATE, RANK, CONSENSUS, BICLIQUE, CALLS };

// call makes one of the calls that take long by these settings.
static int call(int which, const char *settings, nmu_options o) {
	problem *p = new_problem(NMU_FLOAT64, 0);
	array ww, mw;
	place(&ww, NMU_FLOAT64, R, R, 0), place(&mw, NMU_FLOAT64, M, R, 0);
	fill(&p->v), fill(&p->w), fill(&ww), fill(&mw);
	nmu_rank_result ranks = {sizeof ranks};
	nmu_consensus_result runs = {sizeof runs};
	nmu_biclique_result found = {sizeof found};
	int64_t rows[M], cols[N];
	o.size = sizeof o, o.version = NMU_OPTIONS, o.settings = settings;
	int code = 0;
	last.message[0] = 0;
	switch (which) {
	case FACTOR: code = nmu_factor(&p->m.at, &o, &p->v.at, &p->w.at, NULL, &last); break;
	case IMPROVE: code = nmu_improve(&p->m.at, &o, &p->v.at, &p->w.at, NULL, &last); break;
	case TRANSFORM: code = nmu_transform(&p->v.at, &p->m.at, &o, &p->w.at, NULL, &last); break;
	case UPDATE: code = nmu_update(&p->v.at, &p->m.at, &o, &ww.at, &mw.at, &p->w.at, NULL, &last); break;
	case RANK: code = nmu_rank(&p->m.at, &o, &ranks, &last); break;
	case CONSENSUS: code = nmu_consensus(&p->m.at, &o, &runs, &last); break;
	case BICLIQUE:
		for (int i = 0; i < M; i++)
			for (int j = 0; j < N; j++) *(double *)entry(&p->m.at, i, j) = (i * i + 3 * i * j + 5 * j) % 7 < 4;
		code = nmu_biclique(&p->m.at, &o, rows, cols, &found, &last);
	}
	free(p);
	return code;
}

// every call is cancelled by a flag that is set before it or meanwhile, and by a callback.
static void every_call(void) {
	static const char *const settings[CALLS] = {
		"iterations=1099511627776", "iterations=1099511627776", "iterations=1099511627776,tolerance=1e-300", "iterations=1099511627776,tolerance=1e-300",
		"ranks=2:6,restarts=10000,iterations=5000", "ranks=2:6,runs=10000,iterations=5000", "starts=1099511627776",
	};
	for (int which = 0; which < CALLS; which++) {
		flag = 1;
		CHECK(call(which, settings[which], (nmu_options){.cancel = &flag}) == NMU_CANCELLED);
		flag = 0;
		if (which == UPDATE) continue; // which ends by itself
		pthread_t other;
		pthread_create(&other, NULL, cancel_later, NULL);
		double begun = seconds();
		CHECK(call(which, settings[which], (nmu_options){.cancel = &flag}) == NMU_CANCELLED && seconds() - begun < 10);
		pthread_join(other, NULL);
		int calls = 0;
		if (which == TRANSFORM || which == BICLIQUE) continue; // which report nothing
		CHECK(call(which, settings[which], (nmu_options){.callback = called, .user = &calls}) == NMU_CANCELLED);
	}
	flag = 0;
}

static void cancellation(void) {
	problem *p = new_problem(NMU_FLOAT64, 0);
	pthread_t other;
	int calls = 0;
	nmu_options o = quick("nmf", NULL);
	o.settings = "seed=1,iterations=1099511627776,restarts=2", o.cancel = &flag, o.progress = &progress;
	pthread_create(&other, NULL, cancel_soon, NULL);
	nmu_result r = {sizeof r};
	CHECK(run(p, &o, &r) == NMU_CANCELLED && !strcmp(r.stop, "cancelled") && r.relative_error > 0 && r.relative_error < 1);
	CHECK(intact(&p->v, 1) && progress.iterations == 1LL << 40 && progress.relative_error > 0);
	pthread_join(other, NULL);
	o.cancel = NULL, o.callback = called, o.user = &calls;
	CHECK(run(p, &o, &r) == NMU_CANCELLED && (calls == 2 || calls == 3)); // the other restart may just report
	o.callback = NULL, o.settings = "iterations=1099511627776,time-limit=0.05";
	CHECK(run(p, &o, &r) == NMU_OK && !strcmp(r.stop, "time limit"));
	free(p);
	every_call();
}

static char expected[65];

static void *one_of_many(void *unused) {
	for (int i = 0; i < 20; i++) {
		problem *p = new_problem(NMU_FLOAT64, i % ORDERS);
		nmu_options o = quick("gnmu", NULL);
		char hex[65];
		CHECK(run(p, &o, NULL) == NMU_OK);
		hash(&p->v.at, hex);
		CHECK(!strcmp(hex, expected));
		free(p);
	}
	return unused;
}

static void threads(void) {
	problem *p = new_problem(NMU_FLOAT64, 0);
	nmu_options o = quick("gnmu", NULL);
	CHECK(run(p, &o, NULL) == NMU_OK);
	hash(&p->v.at, expected);
	free(p);
	pthread_t all[8];
	for (int i = 0; i < 8; i++) pthread_create(&all[i], NULL, one_of_many, NULL);
	for (int i = 0; i < 8; i++) pthread_join(all[i], NULL);
}

// forks: a child gets an error, at once, and the parent goes on.
static void forks(void) {
	pid_t child = fork();
	if (child == 0) {
		problem *p = new_problem(NMU_FLOAT64, 0);
		nmu_info info = {sizeof info};
		int ok = run(p, NULL, NULL) == NMU_EFORK && strstr(last.message, "forked") && last.code == NMU_EFORK && intact(&p->v, 0);
		_exit(!(ok && nmu_about(&info, NULL) == NMU_EFORK));
	}
	int status = -1;
	for (int i = 0; i < 1000 && waitpid(child, &status, WNOHANG) == 0; i++) usleep(10000);
	CHECK(status == 0);
	one_of_many(NULL);
}

// rounding: the bits do not depend on the rounding mode of the caller, which stays.
static void rounding(void) {
	static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
	for (int i = 0; i < 4; i++) {
		fesetround(modes[i]);
		one_of_many(NULL);
		CHECK(fegetround() == modes[i]);
	}
}

int main(int argc, char **argv) {
	last.size = sizeof last;
	if (argc > 1 && !strcmp(argv[1], "drawn"))
		for (int i = 2; i + 2 < argc; i += 3) drawn(argv[i], argv[i + 1], argv[i + 2]);
	else if (argc > 1 && !strcmp(argv[1], "agreement"))
		for (int i = 2; i + 1 < argc; i += 2) agreement(argv[i], argv[i + 1], i / 2 % ORDERS);
	else errors(), sparse(), updates(), models(), files(), inputs(), cancellation(), threads(), forks(), rounding(), puts("ok");
	return 0;
}
