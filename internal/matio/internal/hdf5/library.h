// What library.go calls of library.c.

#include <hdf5.h>

enum { nmu_rank = 3, nmu_why_size = 256 };

// nmu_array is the type, the shape and the storage of a dataset.
typedef struct {
	char kind;          // f, i, u, b: a number; s: a string of fixed length; v: of any; 0: another
	char layout;        // c: contiguous; h: in chunks; k: in the header; v: virtual; e: in another file
	int big;            // byte order
	int rank;           // up to nmu_rank + 1 if it has more
	size_t size;        // bytes of an element
	hsize_t dims[nmu_rank];
	hsize_t chunk[nmu_rank];
	int deflated;
	int filter;         // the number of a filter that is not allowed, else 0
	long long offset;   // of a contiguous one in the file, else -1
	unsigned long long storage;
} nmu_array;

// A library that holds this package does not export the functions.
#pragma GCC visibility push(hidden)

hid_t nmu_open(const char *path, char *why);
void nmu_close(hid_t file);
int nmu_list(hid_t group, char *text, size_t room, size_t *used, char *why);
hid_t nmu_child(hid_t group, const char *name, size_t cache, size_t slots, char *kind, char *why);
void nmu_release(hid_t id);
hid_t nmu_describe(hid_t dataset, nmu_array *a, char *why);
int nmu_read(hid_t dataset, hid_t type, int rank, const hsize_t *start, const hsize_t *count, void *to, char *why);
int nmu_strings(hid_t dataset, hid_t as, hsize_t first, hsize_t n, char *text, size_t room, long long *begin, char **at, char *why);
int nmu_refers(hid_t dataset, hsize_t index, char *name, size_t room);
hid_t nmu_index(hid_t dataset, nmu_array *a);
int nmu_numbers(hid_t object, const char *name, long long *to, int room);
int nmu_has(hid_t object, const char *name);
void nmu_text(hid_t object, const char *name, char *to, size_t room);

#pragma GCC visibility pop
