// load loads libnmu with another rounding mode than the default one, which the threads
// of the Go runtime must not inherit, and prints the hash of what several of them find
// together. Arguments: the library, and up or nearest.
#include "nmu.h"

#include <dlfcn.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
	enum { M = 40, N = 30, R = 5 };
	static double m[M * N], v[M * R], w[R * N];
	if (argc != 3) return 2;
	int mode = strcmp(argv[2], "up") ? FE_TONEAREST : FE_UPWARD;
	for (int i = 0; i < M * N; i++) m[i] = (i * i + i / 5) % 11;
	fesetround(mode);
	void *library = dlopen(argv[1], RTLD_NOW);
	if (library == NULL) return puts(dlerror()), 1;
	__typeof__(nmu_factor) *factor = (__typeof__(nmu_factor) *)dlsym(library, "nmu_factor");
	__typeof__(nmu_sha256) *sha256 = (__typeof__(nmu_sha256) *)dlsym(library, "nmu_sha256");
	nmu_matrix in = {sizeof in, NMU_FLOAT64, M, N, N, 1, m};
	nmu_matrix basis = {sizeof basis, NMU_FLOAT64, M, R, R, 1, v};
	nmu_matrix weights = {sizeof weights, NMU_FLOAT64, R, N, N, 1, w};
	nmu_options options = {sizeof options, NMU_OPTIONS, .method = "nmf", .settings = "restarts=64,threads=8"};
	nmu_error error = {sizeof error};
	char hex[65];
	if (factor(&in, &options, &basis, &weights, NULL, &error) || sha256(&basis, hex, &error)) return puts(error.message), 1;
	puts(hex);
	return fegetround() != mode;
}
