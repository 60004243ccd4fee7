//go:build hdf5

#include "library.h"

#include <string.h>

static H5E_auto2_t nmu_print;
static void *nmu_print_to;

// nmu_begin keeps the library from printing errors, until nmu_end, and from ending itself behind the back of Go.
void nmu_begin(void) {
	H5dont_atexit(); // which counts before all others
	H5Eget_auto2(H5E_DEFAULT, &nmu_print, &nmu_print_to);
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void nmu_end(void) { H5Eset_auto2(H5E_DEFAULT, nmu_print, nmu_print_to); }

typedef struct { char *text; size_t used, room; } nmu_names;

static herr_t nmu_first(unsigned n, const H5E_error2_t *e, void *data) {
	nmu_names *why = data;
	(void)n;
	if (e->desc)
		strncpy(why->text, e->desc, why->room - 1);
	return 1;
}

// nmu_why copies the message of the innermost error of the last function. Zeros are behind it.
void nmu_why(char *why, size_t room) {
	nmu_names n = { why, 0, room };
	H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, nmu_first, &n);
}

// nmu_locking has a file opened that cannot be locked.
void nmu_locking(hid_t access) {
	(void)access;
#if H5_VERSION_GE(1, 10, 7)
	H5Pset_file_locking(access, 1, 1);
#endif
}

// nmu_name adds the name of a hard link, with a zero behind it.
static herr_t nmu_name(hid_t group, const char *name, const H5L_info_t *info, void *data) {
	nmu_names *n = data;
	size_t size = strlen(name) + 1;
	(void)group;
	if (info->type != H5L_TYPE_HARD)
		return 0;
	if (size > n->room - n->used)
		return 1;
	memcpy(n->text + n->used, name, size);
	n->used += size;
	return 0;
}

// nmu_list lists the hard links of a group. It returns 1 if there is no room for all of them.
int nmu_list(hid_t group, char *text, size_t room, size_t *used) {
	nmu_names n = { text, 0, room };
	int status = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, nmu_name, &n);
	*used = n.used;
	return status;
}

// nmu_is_hard says whether a group has a hard link of this name.
int nmu_is_hard(hid_t group, const char *name) {
	H5L_info_t link;
	return H5Lexists(group, name, H5P_DEFAULT) > 0 && H5Lget_info(group, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
}

static void *nmu_take(size_t size, void *data) {
	nmu_text *t = data;
	void *taken = t->text + t->used;
	if (size > sizeof t->text - t->used)
		return NULL;
	t->used += (size + 15) & ~(size_t)15;
	return taken;
}

static void nmu_give(void *taken, void *data) { (void)taken; (void)data; }

// nmu_hold has a transfer put strings of any length into text.
void nmu_hold(hid_t transfer, nmu_text *text) {
	text->used = 0;
	memset(text->at, 0, sizeof text->at);
	H5Pset_vlen_mem_manager(transfer, nmu_take, text, nmu_give, text);
}
