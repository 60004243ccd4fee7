#include "run.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_EVERY = 50 }; /* milliseconds */

typedef struct {
	int (*call)(void *);
	void *arguments;
	int code;
	volatile int32_t *cancel;
	const nmu_progress *progress;
	int64_t updates; /* of the state that was told last */
	SEXP told;
	pthread_t thread;
	int ended[2]; /* a pipe: the thread closes its end when the call has ended */
} job;

static void *work(void *data) {
	job *j = data;
	j->code = j->call(j->arguments);
	close(j->ended[1]);
	return NULL;
}

/* tell calls the function of the user with the state of the work. */
static void tell(job *j) {
	const nmu_progress *p = j->progress;
	if (j->told == R_NilValue || p->updates == j->updates) return;
	j->updates = p->updates;
	SEXP state = PROTECT(progress_of(p));
	SEXP call = PROTECT(lang2(j->told, state));
	eval(call, R_GlobalEnv);
	UNPROTECT(2);
}

/* watch returns when the call has ended. */
static SEXP watch(void *data) {
	job *j = data;
	struct pollfd end = {j->ended[0], POLLIN, 0};
	while (poll(&end, 1, LOOK_EVERY) == 0 || end.revents == 0) {
		R_CheckUserInterrupt();
		tell(j);
	}
	return R_NilValue;
}

/* leave waits for the end of the call, which comes soon if R jumps away. */
static void leave(void *data, Rboolean jump) {
	job *j = data;
	if (jump) *j->cancel = 1;
	pthread_join(j->thread, NULL);
	close(j->ended[0]);
}

int run(int (*call)(void *), void *arguments, volatile int32_t *cancel, const nmu_progress *progress, SEXP told) {
	job j = {.call = call, .arguments = arguments, .cancel = cancel, .progress = progress, .told = told};
	if (pipe(j.ended) != 0) error("nmu: no pipe: %s", strerror(errno));
	sigset_t all, before; /* signals are for the thread of R */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&j.thread, NULL, work, &j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		close(j.ended[0]);
		close(j.ended[1]);
		error("nmu: no thread: %s", strerror(failed));
	}
	R_UnwindProtect(watch, &j, leave, &j, NULL);
	return j.code;
}
