"""NMF, G-NMU and R-NMU with NumPy, as the paper writes them."""

import peer
import numpy as np


def hals(N, V, W):
    """One HALS step: V by (halsV), then W by (halsW), in place."""
    A, B = N @ W.T, W @ W.T
    for k in range(len(B)):
        if B[k, k] > 0:
            V[:, k] = np.maximum(0, V[:, k] + (A[:, k] - V @ B[:, k]) / B[k, k])
    C, D = V.T @ N, V.T @ V
    for k in range(len(D)):
        if D[k, k] > 0:
            W[k] = np.maximum(0, W[k] + (C[k] - D[k] @ W) / D[k, k])


def nmf(M, V, W, iterations, inner):
    for _ in range(iterations):
        hals(M, V, W)
    return V, W


def gnmu(M, V, W, iterations, inner):
    """Algorithm L-NMU. If a factor vanishes, the multipliers are halved."""
    L = np.zeros_like(M)
    for k in range(1, iterations + 1):
        before = V.copy(), W.copy()
        N = M - L
        for _ in range(inner):
            hals(N, V, W)
        if not V.any() or not W.any():
            V, W = before
            L /= 2
            continue
        L = np.maximum(0, L - (M - V @ W) / k)
    return V, W


def rnmu(M, V, W, iterations, inner):
    R = M
    for k in range(V.shape[1]):
        v, w = gnmu(R, V[:, k : k + 1].copy(), W[k : k + 1].copy(), iterations, inner)
        R = np.maximum(0, R - v @ w)
        V[:, k : k + 1], W[k : k + 1] = v, w
    return V, W


peer.main("numpy", np.__version__, {"nmf": nmf, "gnmu": gnmu, "rnmu": rnmu})
