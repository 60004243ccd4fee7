#include "run.h"

#include <string.h>

SEXP element(SEXP list, const char *name) {
	SEXP names = getAttrib(list, R_NamesSymbol);
	for (R_xlen_t i = 0; i < xlength(list); i++)
		if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
	return R_NilValue;
}

SEXP columns(const field *fields, int n, const void *from, size_t size, R_xlen_t count) {
	SEXP list = PROTECT(allocVector(VECSXP, n)), names = PROTECT(allocVector(STRSXP, n));
	setAttrib(list, R_NamesSymbol, names);
	for (int k = 0; k < n; k++) {
		const char *at = (const char *)from + fields[k].at;
		int type = fields[k].type;
		SEXP x = allocVector(type == YES ? LGLSXP : type == WORD || type == TEXT ? STRSXP : REALSXP, count);
		SET_VECTOR_ELT(list, k, x);
		SET_STRING_ELT(names, k, mkChar(fields[k].name));
		for (R_xlen_t i = 0; i < count; i++, at += size) {
			switch (type) {
			case WHOLE: REAL(x)[i] = *(const int64_t *)at; break;
			case NUMBER: REAL(x)[i] = *(const double *)at; break;
			case YES: LOGICAL(x)[i] = *(const int64_t *)at != 0; break;
			case WORD: SET_STRING_ELT(x, i, mkCharCE(at, CE_UTF8)); break;
			case TEXT: SET_STRING_ELT(x, i, mkCharCE(*(const char *const *)at, CE_UTF8)); break;
			}
		}
	}
	UNPROTECT(2);
	return list;
}

void store(const field *fields, int n, void *to, size_t size, R_xlen_t count, SEXP list) {
	for (int k = 0; k < n; k++) {
		char *at = (char *)to + fields[k].at;
		SEXP x = element(list, fields[k].name);
		for (R_xlen_t i = 0; x != R_NilValue && i < count; i++, at += size) {
			switch (fields[k].type) {
			case WHOLE: *(int64_t *)at = REAL(x)[i]; break;
			case NUMBER: *(double *)at = REAL(x)[i]; break;
			case YES: *(int64_t *)at = LOGICAL(x)[i]; break;
			case WORD: strncpy(at, CHAR(STRING_ELT(x, i)), 23); break; /* of 24 bytes, which are zero */
			case TEXT: break;
			}
		}
	}
}
