//go:build hdf5

#include "library.h"

#include <stdlib.h>
#include <string.h>

// nmu_first copies the message of the innermost error.
static herr_t nmu_first(unsigned n, const H5E_error2_t *e, void *why) {
	(void)n;
	if (e->desc)
		strncpy(why, e->desc, nmu_why_size - 1);
	return 1;
}

static void nmu_because(char *why) { H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, nmu_first, why); }

// nmu_open opens a file for reading. The driver is the plain one, whatever the environment says,
// and no plugin is loaded.
hid_t nmu_open(const char *path, char *why) {
	hid_t file = -1, access;
	H5E_BEGIN_TRY {
		H5dont_atexit();
		H5PLset_loading_state(0);
		access = H5Pcreate(H5P_FILE_ACCESS);
		H5Pset_fapl_sec2(access);
		H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
		H5Pset_file_locking(access, 1, 1);
#endif
		file = H5Fopen(path, H5F_ACC_RDONLY, access);
		if (file < 0)
			nmu_because(why);
		H5Pclose(access);
	} H5E_END_TRY
	return file;
}

void nmu_close(hid_t file) {
	H5E_BEGIN_TRY { H5Fclose(file); } H5E_END_TRY
}

typedef struct { char *text; size_t used, room; } nmu_names;

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
int nmu_list(hid_t group, char *text, size_t room, size_t *used, char *why) {
	nmu_names n = { text, 0, room };
	int status;
	H5E_BEGIN_TRY {
		status = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, nmu_name, &n);
		if (status < 0)
			nmu_because(why);
	} H5E_END_TRY
	*used = n.used;
	return status;
}

// nmu_child opens what a hard link of a group leads to: kind g, a group, or d, a dataset, which
// keeps so many bytes of chunks. It returns -1 if there is none, and sets why if it is damaged.
hid_t nmu_child(hid_t group, const char *name, size_t cache, size_t slots, char *kind, char *why) {
	hid_t id = -1, access;
	H5L_info_t link;
	*kind = 0;
	H5E_BEGIN_TRY {
		if (H5Lexists(group, name, H5P_DEFAULT) > 0 && H5Lget_info(group, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD) {
			id = H5Oopen(group, name, H5P_DEFAULT);
			if (id < 0)
				nmu_because(why);
			else switch (H5Iget_type(id)) {
			case H5I_GROUP:
				*kind = 'g';
				break;
			case H5I_DATASET:
				*kind = 'd';
				if (cache > 0) { // which counts only for a dataset that is not open
					H5Oclose(id);
					access = H5Pcreate(H5P_DATASET_ACCESS);
					H5Pset_chunk_cache(access, slots, cache, 1);
					id = H5Dopen2(group, name, access);
					if (id < 0)
						nmu_because(why);
					H5Pclose(access);
				}
				break;
			default:
				break;
			}
		}
	} H5E_END_TRY
	return id;
}

void nmu_release(hid_t id) {
	H5E_BEGIN_TRY { H5Oclose(id); } H5E_END_TRY
}

// nmu_kind says what the elements of a type are.
static void nmu_kind(hid_t type, nmu_array *a) {
	hid_t base;
	a->size = H5Tget_size(type);
	switch (H5Tget_class(type)) {
	case H5T_INTEGER:
		if (H5Tget_precision(type) == 8 * a->size && H5Tget_offset(type) == 0 && (a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8)) {
			a->kind = H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
			a->big = a->size > 1 && H5Tget_order(type) == H5T_ORDER_BE;
		}
		break;
	case H5T_FLOAT:
		a->big = H5Tequal(type, H5T_IEEE_F64BE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0;
		if (a->big || H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F32LE) > 0)
			a->kind = 'f';
		else if (a->size == 2) { // half precision
			size_t sign, exponent, exponents, fraction, fractions;
			if (H5Tget_fields(type, &sign, &exponent, &exponents, &fraction, &fractions) >= 0 && sign == 15 && exponent == 10 && exponents == 5 &&
				fraction == 0 && fractions == 10 && H5Tget_ebias(type) == 15 && H5Tget_norm(type) == H5T_NORM_IMPLIED && H5Tget_offset(type) == 0) {
				a->kind = 'f';
				a->big = H5Tget_order(type) == H5T_ORDER_BE;
			}
		}
		break;
	case H5T_ENUM: // such as bool of h5py
		base = H5Tget_super(type);
		if (base >= 0 && H5Tget_class(base) == H5T_INTEGER && a->size == 1)
			a->kind = 'b';
		if (base >= 0)
			H5Tclose(base);
		break;
	case H5T_STRING:
		a->kind = H5Tis_variable_str(type) > 0 ? 'v' : 's';
		break;
	default:
		break;
	}
}

// nmu_describe fills in a, and returns the type of a dataset.
hid_t nmu_describe(hid_t dataset, nmu_array *a, char *why) {
	hid_t type, space, create;
	int i, n, rank;
	memset(a, 0, sizeof *a);
	a->offset = -1;
	H5E_BEGIN_TRY {
		type = H5Dget_type(dataset);
		if (type < 0)
			nmu_because(why);
		space = H5Dget_space(dataset);
		create = H5Dget_create_plist(dataset);
		rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
		if (type >= 0 && create >= 0 && rank >= 0) {
			nmu_kind(type, a);
			a->rank = rank > nmu_rank ? nmu_rank + 1 : rank;
			if (H5Sget_simple_extent_type(space) == H5S_NULL)
				a->rank = nmu_rank + 1;
			if (a->rank <= nmu_rank)
				H5Sget_simple_extent_dims(space, a->dims, NULL);
			switch (H5Pget_layout(create)) {
			case H5D_COMPACT:
				a->layout = 'k';
				break;
			case H5D_CONTIGUOUS:
				a->layout = 'c';
				break;
			case H5D_CHUNKED:
				a->layout = 'h';
				if (a->rank <= nmu_rank && H5Pget_chunk(create, a->rank, a->chunk) != rank)
					a->layout = 0;
				break;
			case H5D_VIRTUAL:
				a->layout = 'v';
				break;
			default:
				break;
			}
			if (H5Pget_external_count(create) != 0)
				a->layout = 'e';
			n = H5Pget_nfilters(create);
			for (i = 0; i < n; i++) {
				unsigned flags, config;
				size_t values = 0;
				H5Z_filter_t filter = H5Pget_filter2(create, i, &flags, &values, NULL, 0, NULL, &config);
				if (filter == H5Z_FILTER_DEFLATE)
					a->deflated++;
				else if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
					a->filter = filter > 0 ? filter : -1;
			}
			if (n < 0)
				a->filter = -1;
			if (a->layout == 'c') {
				haddr_t at = H5Dget_offset(dataset);
				a->offset = at == HADDR_UNDEF ? -1 : (long long)at;
			}
			if (a->layout == 'c' || a->layout == 'h' || a->layout == 'k')
				a->storage = H5Dget_storage_size(dataset);
		} else if (type >= 0) {
			H5Tclose(type);
			type = -1;
		}
		if (space >= 0)
			H5Sclose(space);
		if (create >= 0)
			H5Pclose(create);
	} H5E_END_TRY
	return type;
}

// nmu_read reads a part of a dataset as its elements are.
int nmu_read(hid_t dataset, hid_t type, int rank, const hsize_t *start, const hsize_t *count, void *to, char *why) {
	hid_t space, memory;
	int status = -1;
	H5E_BEGIN_TRY {
		space = H5Dget_space(dataset);
		memory = rank > 0 ? H5Screate_simple(rank, count, NULL) : H5Screate(H5S_SCALAR);
		if (space >= 0 && memory >= 0 && (rank == 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0))
			status = H5Dread(dataset, type, memory, space, H5P_DEFAULT, to);
		if (status < 0)
			nmu_because(why);
		if (memory >= 0)
			H5Sclose(memory);
		if (space >= 0)
			H5Sclose(space);
	} H5E_END_TRY
	return status;
}

// nmu_arena is where the library puts strings of any length.
typedef struct { char *next, *end; } nmu_arena;

static void *nmu_take(size_t size, void *arena) {
	nmu_arena *a = arena;
	void *taken = a->next;
	size = (size + 15) & ~(size_t)15;
	if (size > (size_t)(a->end - a->next))
		return NULL;
	a->next += size;
	return taken;
}

static void nmu_give(void *taken, void *arena) { (void)taken; (void)arena; }

// nmu_strings reads n strings of any length, which together take up to room bytes of text,
// and returns where each of them begins, counted from there, or -1 for none. If as is the type of a
// member of a compound, the strings are those of the member.
int nmu_strings(hid_t dataset, hid_t as, hsize_t first, hsize_t n, char *text, size_t room, long long *begin, char **at, char *why) {
	nmu_arena arena = { text, text + room };
	hid_t space, memory, type, transfer, file;
	int status = -1;
	hsize_t i;
	memset(at, 0, n * sizeof *at);
	H5E_BEGIN_TRY {
		space = H5Dget_space(dataset);
		memory = H5Screate_simple(1, &n, NULL);
		file = H5Dget_type(dataset);
		type = H5Tget_class(as) == H5T_COMPOUND ? H5Tcopy(as) : H5Tcopy(H5T_C_S1);
		transfer = H5Pcreate(H5P_DATASET_XFER);
		if ((H5Tget_class(type) == H5T_COMPOUND || (H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5Tget_cset(file)) >= 0)) &&
			H5Pset_vlen_mem_manager(transfer, nmu_take, &arena, nmu_give, &arena) >= 0 &&
			H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &n, NULL) >= 0)
			status = H5Dread(dataset, type, memory, space, transfer, at);
		if (status < 0)
			nmu_because(why);
		H5Pclose(transfer);
		H5Tclose(type);
		H5Tclose(file);
		H5Sclose(memory);
		H5Sclose(space);
	} H5E_END_TRY
	for (i = 0; status >= 0 && i < n; i++)
		begin[i] = at[i] && at[i] >= text && at[i] < arena.next ? at[i] - text : -1;
	return status;
}

// nmu_refers names the object that element index of a dataset of references refers to.
int nmu_refers(hid_t dataset, hsize_t index, char *name, size_t room) {
	hid_t type, space, memory;
	hobj_ref_t to;
	hsize_t dims[nmu_rank], at[nmu_rank], one[nmu_rank];
	ssize_t size;
	int i, rank, status = -1;
	H5E_BEGIN_TRY {
		type = H5Dget_type(dataset);
		space = H5Dget_space(dataset);
		rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
		if (type >= 0 && H5Tequal(type, H5T_STD_REF_OBJ) > 0 && rank > 0 && rank <= nmu_rank && H5Sget_simple_extent_dims(space, dims, NULL) == rank) {
			for (i = rank - 1; i >= 0; i--) {
				one[i] = 1;
				at[i] = dims[i] > 0 ? index % dims[i] : 0;
				index = dims[i] > 0 ? index / dims[i] : 1;
			}
			memory = H5Screate_simple(rank, one, NULL);
			if (index == 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL) >= 0 && H5Dread(dataset, type, memory, space, H5P_DEFAULT, &to) >= 0) {
				size = H5Rget_name(dataset, H5R_OBJECT, &to, name, room);
				status = size > 0 && (size_t)size < room ? 0 : -1;
			}
			H5Sclose(memory);
		}
		if (space >= 0)
			H5Sclose(space);
		if (type >= 0)
			H5Tclose(type);
	} H5E_END_TRY
	return status;
}

// nmu_index fills in the kind and size of the member of a compound type that names the rows of a
// table: index, _index, or else the first. It returns a type of this member alone, or -1.
hid_t nmu_index(hid_t dataset, nmu_array *a) {
	hid_t type, member, text, alone = -1;
	char *name;
	int k;
	memset(a, 0, sizeof *a);
	H5E_BEGIN_TRY {
		type = H5Dget_type(dataset);
		if (type >= 0 && H5Tget_class(type) == H5T_COMPOUND) {
			k = H5Tget_member_index(type, "index");
			if (k < 0)
				k = H5Tget_member_index(type, "_index");
			k = k < 0 ? 0 : k;
			member = H5Tget_member_type(type, k);
			name = H5Tget_member_name(type, k);
			if (member >= 0 && name) {
				nmu_kind(member, a);
				text = H5Tcopy(member);
				if ((a->kind == 's' || a->kind == 'v') && text >= 0) {
					if (a->kind == 'v')
						a->size = sizeof(char *);
					alone = H5Tcreate(H5T_COMPOUND, a->size);
					if (alone >= 0 && H5Tinsert(alone, name, 0, text) < 0) {
						H5Tclose(alone);
						alone = -1;
					}
				}
				if (text >= 0)
					H5Tclose(text);
			}
			if (name)
				H5free_memory(name);
			if (member >= 0)
				H5Tclose(member);
		}
		if (type >= 0)
			H5Tclose(type);
	} H5E_END_TRY
	return alone;
}

// nmu_numbers reads an attribute of up to room whole numbers. It returns how many they are, or
// -1 if there is no such attribute.
int nmu_numbers(hid_t object, const char *name, long long *to, int room) {
	hid_t attribute = -1, type, space;
	hssize_t n;
	int status = -1;
	H5E_BEGIN_TRY {
		if (H5Aexists(object, name) > 0)
			attribute = H5Aopen(object, name, H5P_DEFAULT);
		if (attribute >= 0) {
			type = H5Aget_type(attribute);
			space = H5Aget_space(attribute);
			n = H5Sget_simple_extent_npoints(space);
			if (H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) <= 8 && n >= 0 && n <= room && H5Aread(attribute, H5T_NATIVE_LLONG, to) >= 0)
				status = n;
			H5Sclose(space);
			H5Tclose(type);
			H5Aclose(attribute);
		}
	} H5E_END_TRY
	return status;
}

// nmu_has says whether an object has an attribute of this name.
int nmu_has(hid_t object, const char *name) {
	int has;
	H5E_BEGIN_TRY { has = H5Aexists(object, name) > 0; } H5E_END_TRY
	return has;
}

// nmu_text reads an attribute that is a text of less than room bytes, else an empty one.
void nmu_text(hid_t object, const char *name, char *to, size_t room) {
	hid_t attribute = -1, type, space, same;
	char *text = NULL;
	to[0] = 0;
	H5E_BEGIN_TRY {
		if (H5Aexists(object, name) > 0)
			attribute = H5Aopen(object, name, H5P_DEFAULT);
		if (attribute >= 0) {
			type = H5Aget_type(attribute);
			space = H5Aget_space(attribute);
			same = H5Tcopy(H5T_C_S1);
			H5Tset_cset(same, H5Tget_cset(type));
			if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) {
				// no text
			} else if (H5Tis_variable_str(type) > 0) {
				H5Tset_size(same, H5T_VARIABLE);
				if (H5Aread(attribute, same, &text) >= 0 && text) {
					if (strlen(text) < room)
						strcpy(to, text);
					H5free_memory(text);
				}
			} else if (H5Tget_size(type) < room && H5Tset_size(same, room) >= 0 && H5Aread(attribute, same, to) < 0) {
				to[0] = 0;
			}
			to[room - 1] = 0;
			H5Tclose(same);
			H5Sclose(space);
			H5Tclose(type);
			H5Aclose(attribute);
		}
	} H5E_END_TRY
}
