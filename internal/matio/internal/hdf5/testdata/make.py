"""Writes the files of the tests with h5py, as programs that people use write them."""
import sys

import h5py
import numpy as np

folder = sys.argv[1] + "/"
M = np.arange(35.0).reshape(7, 5) % 11  # the matrix of every file


def write(name, **options):
    return h5py.File(folder + name, "w", **options)


for t in "f8 f4 f2 i1 i2 i4 i8 u1 u2 u4 u8".split():
    for order in "<>":
        with write(f"type {order.replace('<', 'little').replace('>', 'big')} {t}.h5") as f:
            f["m"] = M.astype(order + t)
            f["note"] = "text"
            f["z"] = M + 1j
with write("bool.h5") as f:
    f["m"] = M > 4
for name, options in {
    "chunks": dict(chunks=(3, 2)),
    "gzip": dict(chunks=(3, 2), compression="gzip"),
    "all filters": dict(chunks=(2, 5), compression="gzip", shuffle=True, fletcher32=True),
    "one chunk": dict(chunks=(7, 5), compression="gzip"),
    "growing": dict(chunks=(4, 4), maxshape=(None, None)),
}.items():
    for version in "earliest", "latest":
        with write(f"{name} {version}.h5", libver=version) as f:
            f.create_dataset("deep/down/m", data=M, **options)
with write("column.h5") as f:
    f["m"] = M[:, 0]
with write("cube.h5") as f:
    f["m"] = np.arange(24.0).reshape(2, 3, 4)
compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
compact.set_layout(h5py.h5d.COMPACT)
with write("compact.h5") as f:
    d = h5py.h5d.create(f.id, b"m", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple(M.shape), compact)
    d.write(h5py.h5s.ALL, h5py.h5s.ALL, M)


def compressed(m):
    """The arrays of a CSR matrix."""
    rows, cols = np.nonzero(m)
    return m[rows, cols], cols.astype("i4"), np.searchsorted(rows, np.arange(len(m) + 1)).astype("i4")


def put(f, key, m, form="dense", old=False, **options):
    """A matrix as anndata writes it."""
    if form == "dense":
        f.create_dataset(key, data=m, **options).attrs["encoding-type"] = "array"
        return
    g = f.create_group(key)
    g.attrs["h5sparse_format" if old else "encoding-type"] = form if old else form + "_matrix"
    g.attrs["h5sparse_shape" if old else "shape"] = np.array(m.shape)
    for name, x in zip(("data", "indices", "indptr"), compressed(m if form == "csr" else m.T)):
        g.create_dataset(name, data=x, **options)


def anndata(name, x, form, old=False, fixed=False, **options):
    with write(name) as f:
        f.attrs["encoding-type"] = "anndata"
        put(f, "X", x, form, old, **options)
        put(f, "layers/twice", 2 * x, "csr", **options)
        put(f, "layers/dense", x + 1)
        f["obsm/pca"] = np.ones((len(x), 2))
        for table, n in ("obs", x.shape[0]), ("var", x.shape[1]):
            g = f.create_group(table)
            g.attrs["_index"] = "name"
            names = [f"{table} {i} \u00b5" for i in range(n)]
            g["name"] = np.array([s.replace("\u00b5", "u").encode() for s in names]) if fixed else np.array(names, dtype=object)
            g["size"] = np.arange(n)


anndata("dense.h5ad", M, "dense")
anndata("csr.h5ad", M, "csr", compression="gzip")
anndata("csc.h5ad", M, "csc")
anndata("old.h5ad", M, "csr", old=True, fixed=True)
long = np.zeros((300, 5))
long[::3] = 1
anndata("long.h5ad", long, "csr", chunks=(7,))

with write("matlab.mat", userblock_size=512) as f:
    f["m"] = M.T
    f["m"].attrs["MATLAB_class"] = np.bytes_("double")
    f["text"] = np.arange(6, dtype="u2").reshape(6, 1)
    f["text"].attrs["MATLAB_class"] = np.bytes_("char")
    f["#refs#/a"] = M
    f.create_dataset("packed", data=(M > 4).astype("u1").T, chunks=(2, 2), compression="gzip").attrs["MATLAB_class"] = np.bytes_("logical")
    g = f.create_group("s")
    g.attrs["MATLAB_class"], g.attrs["MATLAB_sparse"] = np.bytes_("double"), np.uint64(len(M))
    for name, x in zip(("data", "ir", "jc"), compressed(M.T)):
        g[name] = x if name == "data" else x.astype("u8")
    f["cube"] = np.arange(24.0).reshape(2, 3, 4).T
    f["cube"].attrs["MATLAB_class"] = np.bytes_("double")
with open(folder + "matlab.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 .".ljust(124) + b"\0\2IM")

with write("nested.mat", userblock_size=512) as f:

    def matlab(key, x):
        d = f.create_dataset(key, data=x.T)
        d.attrs["MATLAB_class"] = np.bytes_("double")
        return d.ref

    def refer(key, x, kind):
        f.create_dataset(key, data=np.array(x, dtype=h5py.ref_dtype)).attrs["MATLAB_class"] = np.bytes_(kind)

    for key in "s", "t", "s/inner":
        f.create_group(key).attrs["MATLAB_class"] = np.bytes_("struct")
    matlab("s/data", M)
    matlab("s/inner/deep", M + 1)
    refs = [matlab("#refs#/" + key, M + 2 + i) for i, key in enumerate("abcd")]
    refer("c", [refs[:2], refs[2:]], "cell")
    refer("t/data", [refs[2:3], refs[1:2]], "double")
with open(folder + "nested.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 .".ljust(124) + b"\0\2IM")
for name, text in ("fixed", "S12"), ("any", h5py.string_dtype()):
    with write(f"compound {name}.h5ad") as f:
        sparse = f.create_group("X")
        sparse.attrs["h5sparse_format"], sparse.attrs["h5sparse_shape"] = "csr", np.array(M.shape)
        for key, x in zip(("data", "indices", "indptr"), compressed(M)):
            sparse[key] = x
        for table, n in ("obs", len(M)), ("var", M.shape[1]):
            x = np.zeros(n, dtype=[("size", "i4"), ("index", text)])
            x["index"] = [f"{table} {i}".encode() for i in range(n)]
            f[table] = x

with write("other.h5") as f:
    f["m"] = M
M.tofile(folder + "raw")
with write("soft.h5") as f:
    f["m"] = h5py.SoftLink("/n")
with write("link.h5") as f:
    f["m"] = h5py.ExternalLink("other.h5", "/m")
with write("external.h5") as f:
    f.create_dataset("m", M.shape, "f8", external=[(folder + "raw", 0, M.nbytes)])
with write("virtual.h5") as f:
    layout = h5py.VirtualLayout(M.shape, "f8")
    layout[:] = h5py.VirtualSource(folder + "other.h5", "m", M.shape)
    f.create_virtual_dataset("m", layout)
with write("lzf.h5") as f:
    f.create_dataset("m", data=M, compression="lzf")
with write("scaled.h5") as f:
    f.create_dataset("m", data=M.astype("i4"), scaleoffset=0)
with write("complex.h5") as f:
    f["m"] = M + 1j
with write("hollow.h5") as f:
    f.create_dataset("m", (1 << 20, 1 << 20), "f8", chunks=(1 << 10, 1 << 10))
with write("unwritten.h5") as f:
    f.create_dataset("m", (7, 5), "f8")
with write("unwritten chunks.h5") as f:
    f.create_dataset("m", (7, 5), "f8", chunks=(4, 5), fillvalue=3)[:4] = M[:4]
with write("unwritten gzip.h5") as f:
    f.create_dataset("m", (7, 5), "f8", chunks=(2, 2), compression="gzip", fillvalue=3)
with write("modalities.h5mu") as f:
    f.attrs["encoding-type"] = "MuData"
    for group, obs, var in ("", 7, 5), ("mod/a", 7, 5), ("mod/a/raw", 0, 5):
        for table, n in ("obs", obs), ("var", var):
            if n > 0:
                f.create_group(f"{group}/{table}").create_dataset("_index", data=np.array([f"{group} {table} {i}" for i in range(n)], dtype=object))
    for path, m in (
        ("mod/a/X", M), ("mod/a/layers/l", M), ("mod/a/raw/X", M), ("mod/a/obsm/m", M[:, :2]), ("mod/a/varm/m", M[:5, :2]),
        ("mod/a/obsp/p", M @ M.T), ("mod/a/varp/p", M.T @ M), ("obsm/m", M[:, :5]), ("mod/a/uns/u", M),
    ):
        f[path] = m
with write("bomb.h5") as f:
    f.create_dataset("m", data=np.zeros((1 << 10, 1 << 12)), chunks=(1 << 9, 1 << 12), compression="gzip")
with write("cycle.h5") as f:
    f["a/m"] = M
    f["a/b"] = f["/"]
with write("short.h5ad") as f:
    put(f, "X", M, "csr")
    f["X"].attrs["shape"] = np.array([1 << 40, 5])
with write("index.h5ad") as f:
    put(f, "X", M, "csr")
    f["X/indices"][3] = 5
with write("pointer.h5ad") as f:
    put(f, "X", M, "csr")
    f["X/indptr"][3] = 1000
with write("float index.h5ad") as f:
    put(f, "X", M, "csr")
    x = f["X/indices"][()]
    del f["X/indices"]
    f["X/indices"] = x.astype("f8")
with write("missing.h5ad") as f:
    put(f, "X", M, "csr")
    del f["X/indptr"]


# Indexes of anndata as groups: of texts of which one is missing, of categories, and of another kind.
def index(f, table, n, kind):
    g = f[table]
    names = g["name"][()]
    del g["name"]
    x = g.create_group("name")
    x.attrs["encoding-type"] = kind
    if kind == "nullable-string-array":
        x["values"] = names
        x["mask"] = np.arange(n) == 1
    elif kind == "categorical":
        codes = np.arange(n)[::-1].astype("i1")
        codes[1] = -1
        x["categories"], x["codes"] = names, codes
    else:
        x["strings"] = names


for kind in "nullable-string-array", "categorical", "another":
    anndata(kind + ".h5ad", M, "csr")
    with h5py.File(folder + kind + ".h5ad", "r+") as f:
        index(f, "obs", len(M), kind)
        index(f, "var", len(M.T), kind)
anndata("codes.h5ad", M, "csr")
with h5py.File(folder + "codes.h5ad", "r+") as f:
    index(f, "obs", len(M), "categorical")
    del f["obs/name/codes"]
    f["obs/name/codes"] = np.arange(3)
anndata("no X.h5ad", M, "csr")
with h5py.File(folder + "no X.h5ad", "r+") as f:
    del f["X"], f["layers"]


def arrays(g, m, form, shape=True):
    for name, x in zip(("data", "indices", "indptr"), compressed(m if form == "csr" else m.T)):
        g[name] = x
    if shape:
        g["shape"] = np.array(m.shape, dtype="i4")


def numbered(word, n):
    return np.array([f"{word}{i}".encode() for i in range(n)])


# Cell Ranger, versions 3 and 2: features x barcodes, by columns.
rows, cols = M.shape
with write("tenx 3.h5") as f:
    arrays(f.create_group("matrix"), M, "csc")
    f["matrix/barcodes"] = numbered("cell", cols)
    f["matrix/features/id"] = numbered("id", rows)
    f["matrix/features/name"] = numbered("gene", rows)
    f["matrix/features/feature_type"] = np.array([b"Gene Expression"] * (rows - 1) + [b"Antibody Capture"])
with write("tenx 2.h5") as f:
    arrays(f.create_group("GRCx"), M, "csc")
    f["GRCx/barcodes"] = numbered("cell", cols)
    f["GRCx/genes"] = numbered("id", rows)
    f["GRCx/gene_names"] = numbered("gene", rows)
with write("square tenx.h5") as f:
    arrays(f.create_group("matrix"), M[:5], "csc")
    f["matrix/barcodes"] = numbered("cell", cols)
# BIOM 2.1: the same matrix by rows and by columns.
with write("table.biom") as f:
    f.attrs["format-version"], f.attrs["shape"] = (2, 1), M.shape
    arrays(f.create_group("observation/matrix"), M, "csr", shape=False)
    arrays(f.create_group("sample/matrix"), M, "csc", shape=False)
    f["observation/ids"] = np.array([f"otu {i}" for i in range(rows)], dtype=object)
    f["sample/ids"] = np.array([f"sample {i}" for i in range(cols)], dtype=object)
# The arrays of scipy without a word on their form.
for form in "csr", "csc":
    with write(form + " arrays.h5") as f:
        arrays(f.create_group("m"), M, form)
with write("square arrays.h5") as f:
    arrays(f.create_group("m"), M[:5], "csr")

# Attributes of NetCDF.
with write("netcdf.h5") as f:
    f["m"] = M
    f["m"].attrs["scale_factor"], f["m"].attrs["_FillValue"] = 0.5, 3.0
