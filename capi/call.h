/* call.h: a call of a function of nmu.h, as export.c hands it to Go. */
#include "nmu.h"

typedef enum {
	FACTOR, IMPROVE, TRANSFORM, UPDATE, INSPECT, LOOK, ESTIMATE, RANK, CONSENSUS, TOPICS, METRICS, BICLIQUE, MODEL_SAVE, MODEL_LOAD, SHA256, ABOUT
} function;

/* What a function does not have is NULL or 0. */
typedef struct call {
	function function;
	nmu_error *error;
	const nmu_matrix *m;
	const nmu_csr *sparse; /* M, if it is sparse */
	const nmu_options *options;
	const nmu_matrix *v, *w, *ww, *mw, *mixtures;
	int64_t rank;
	const char *path;
	int64_t *rows, *cols; /* of a biclique */
	void *result;         /* the struct or the text for results */
} call;
