"""What the Python peers share: reading a job, timing it, printing one line."""

import ctypes
import json
import sys
import time


def missing(name):
    """Say what is not installed or not supported, and stop."""
    print(json.dumps({"missing": name}))
    sys.exit(0)


try:
    import numpy as np
except ImportError:
    missing("numpy")

with open(sys.argv[1]) as f:
    job = json.load(f)


def takes(methods):
    """Stop unless the job is one of these methods, with its default solver."""
    if job["method"] not in methods or job.get("solver"):
        missing(job["method"])


def blas():
    """Name the BLAS that NumPy has loaded and the kernels it chose."""
    np.ones((8, 8)) @ np.ones((8, 8))
    try:
        from threadpoolctl import threadpool_info

        for lib in threadpool_info():
            if lib.get("user_api") == "blas":
                parts = (lib.get("internal_api"), lib.get("version"), lib.get("architecture"))
                return " ".join(str(p) for p in parts if p)
    except ImportError:
        pass
    try:
        with open("/proc/self/maps") as maps:
            paths = sorted({line.split()[-1] for line in maps if "blas" in line and ".so" in line})
    except OSError:
        return "unknown"
    for path in paths:
        lib = ctypes.CDLL(path)
        for prefix, suffix in (("", ""), ("scipy_", ""), ("scipy_", "64_"), ("", "64_")):
            f = getattr(lib, prefix + "openblas_get_config" + suffix, None)
            if f is not None:
                f.restype = ctypes.c_char_p
                return f().decode()
    return " ".join(p.rsplit("/", 1)[-1] for p in paths) or "unknown"


def main(program, version, algorithms):
    """Do the job named on the command line.

    algorithms[method](M, V, W, iterations, inner) returns V, W.
    """
    takes(algorithms)
    about = {"program": program, "version": version, "blas": blas()}
    m, n, r = job["rows"], job["cols"], job["rank"]

    def read(name, rows, cols):
        return np.fromfile(job[name], "<f8").reshape(rows, cols)

    M, V, W = read("m", m, n), read("v", m, r), read("w", r, n)
    begin = time.perf_counter()
    V, W = algorithms[job["method"]](M, V, W, job["iterations"], job["inner"])
    about["seconds"] = time.perf_counter() - begin
    about["relative_error"] = float(np.linalg.norm(M - V @ W) / np.linalg.norm(M))
    print(json.dumps(about))
