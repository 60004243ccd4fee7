"""A product of two square matrices by the BLAS of NumPy: "N,TYPE" on the command line."""

import json
import sys
import time

import peer

np = peer.np
about = {"program": "numpy", "version": np.__version__, "blas": peer.blas()}
if sys.argv[1] != "--version":
    n, kind = sys.argv[1].split(",")
    n = int(n)
    A = (np.arange(n * n) % 7).reshape(n, n).astype(kind)
    B = (np.arange(n * n) % 5).reshape(n, n).astype(kind)
    C = np.empty_like(A)
    np.dot(A, B, out=C)
    calls, begin = 0, time.perf_counter()
    while calls < 1 or time.perf_counter() - begin < 0.05:
        np.dot(A, B, out=C)
        calls += 1
    about["seconds"] = (time.perf_counter() - begin) / calls
print(json.dumps(about))
