// What library.go calls of library.c.

#include <hdf5.h>

enum { nmu_words = 64, nmu_word = 1 << 16 };

// nmu_text is where the library puts some strings of any length, which are shorter than nmu_word.
typedef struct {
	char text[nmu_words * nmu_word];
	size_t used;
	char *at[nmu_words];
} nmu_text;

// A library that holds this package does not export the functions.
#pragma GCC visibility push(hidden)

void nmu_begin(void);
void nmu_end(void);
void nmu_why(char *why, size_t room);
void nmu_locking(hid_t access);
int nmu_list(hid_t group, char *text, size_t room, size_t *used);
int nmu_is_hard(hid_t group, const char *name);
void nmu_hold(hid_t transfer, nmu_text *text);

#pragma GCC visibility pop
