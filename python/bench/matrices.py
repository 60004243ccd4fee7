"""The matrices of the measurements, a kind after the other. NumPy's generators make all but three."""

import os

import numpy as np
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import load_digits


def variable(file):
    """Returns the largest array of a .mat file in the folder $NMU_DATA."""
    read = scipy.io.loadmat(os.path.join(os.environ["NMU_DATA"], file))
    return max((x for x in read.values() if isinstance(x, np.ndarray)), key=np.size).astype(float)


def planted(rng, m, n, r):
    """Returns V and W of sparse parts."""
    return rng.random((m, r)) * (rng.random((m, r)) < 0.2), rng.random((r, n)) * (rng.random((r, n)) < 0.3)


def spectra(rng, m, r):
    at = np.linspace(0, 1, m)[:, None]
    return sum(rng.random(r) * np.exp(-(((at - rng.random(r)) / rng.uniform(0.03, 0.2, r)) ** 2)) for _ in range(4)) + 0.05


def common():
    """Yields names and matrices: some 300 rows and 400 columns, twelve planted factors."""
    yield "faces", variable("CBCL.mat")[:, ::6]
    yield "swimmer", variable("Swimmer.mat")
    yield "digits", load_digits().data[::3].T
    rng = np.random.default_rng(1)
    m, n, r = 300, 400, 12
    V, W = planted(rng, m, n, r)
    yield "sparse parts", np.maximum(0, V @ W + 0.02 * rng.standard_normal((m, n)))
    V = spectra(rng, m, r)
    noise = 0.01 * rng.standard_normal((m, n))
    yield "spectra", np.maximum(0, V @ rng.dirichlet(np.full(r, 0.5), n).T + noise)
    W = rng.dirichlet(np.full(r, 0.5), n).T
    W[:, :r] = np.eye(r)
    yield "pure pixels", np.maximum(0, V @ W + noise)
    yield "counts", rng.poisson(rng.gamma(0.3, 1, (m, r)) @ rng.gamma(0.3, 3, (r, n))).astype(float)
    words = rng.dirichlet(np.full(800, 0.05), r).T
    topics = rng.poisson(words @ (rng.dirichlet(np.full(r, 0.1), 500).T * rng.integers(100, 300, 500))).astype(float)
    yield "topics", sp.csr_matrix(topics[topics.sum(1) > 0])
    genes = rng.gamma(0.1, 1, (600, r))
    cells = np.log1p(rng.poisson(300 * (genes / genes.sum(0)) @ rng.dirichlet(np.full(r, 0.15), 500).T))
    yield "cells", sp.csr_matrix(cells[cells.sum(1) > 0])
    yield "noise", rng.random((m, n))


def special():
    """Yields names, matrices and ranks: exact ones, wide scales, and shapes of other fields."""
    rng = np.random.default_rng(2)
    points = rng.random((200, 3))
    yield "squared distances", ((points[:, None] - points) ** 2).sum(2), 5
    V, W = planted(rng, 300, 400, 12)
    noisy = np.maximum(0, V @ W + 0.02 * rng.standard_normal((300, 400)))
    yield "columns of wide scales", noisy * 10 ** rng.uniform(-3, 3, 400), 12
    yield "rows of wide scales", noisy * 10 ** rng.uniform(-3, 3, (300, 1)), 12
    yield "exact, dense", rng.random((200, 8)) @ rng.random((8, 150)), 8
    yield "exact, sparse", V @ W, 12
    V = spectra(rng, 200, 4)
    yield "spectra without noise", V @ rng.dirichlet(np.ones(4), 900).T, 4
    W = rng.dirichlet(np.ones(8), 300).T
    W[:, :8] = np.eye(8)
    yield "separable", rng.random((120, 8)) @ W, 8
    yield "blocks", np.kron(np.eye(6), np.ones((20, 30))), 6
    yield "binary", (rng.random((200, 300)) < np.clip(rng.random((200, 6)) ** 6 @ rng.random((6, 300)) ** 3, 0, 1)).astype(float), 8
    yield "correlations", abs(np.corrcoef(rng.standard_normal((150, 10)) @ rng.standard_normal((10, 400)) + rng.standard_normal((150, 400)))), 8
    at, pitch = np.arange(257)[:, None], rng.integers(8, 40, 10)
    notes = sum(np.exp(-(((at - k * pitch) / 1.5) ** 2)) / k for k in range(1, 7))
    played = np.maximum(0, rng.standard_normal((10, 40))).repeat(10, 1) * np.tile(np.exp(-np.arange(10) / 4), 40)
    yield "notes", notes @ played + 0.01 * rng.random((257, 400)), 10
    hours = np.exp(-(((np.arange(24)[:, None] - [8, 13, 18, 2]) / [2, 3, 2, 4]) ** 2)) + 0.1
    yield "days", hours @ rng.gamma(2, 1, (4, 365)) * rng.lognormal(0, 0.1, (24, 365)), 4
    yield "mutations", rng.poisson(rng.dirichlet(np.full(96, 0.1), 6).T @ rng.gamma(0.5, 2000, (6, 100))).astype(float), 6
    yield "tall", np.maximum(0, rng.gamma(0.5, 1, (5000, 5)) @ rng.random((5, 20)) + 0.1 * rng.standard_normal((5000, 20))), 5
    yield "broad", np.maximum(0, rng.random((20, 5)) @ rng.gamma(0.5, 1, (5, 5000)) + 0.1 * rng.standard_normal((20, 5000))), 5
    yield "small", rng.random((10, 8)), 3
    x, y = np.meshgrid(np.linspace(0, 1, 24), np.linspace(0, 1, 24))
    spots = np.exp(-((x.ravel()[:, None] - rng.random(9)) ** 2 + (y.ravel()[:, None] - rng.random(9)) ** 2) / 0.02)
    yield "spots", rng.poisson(50 * spots @ rng.gamma(0.5, 1, (9, 300))).astype(float), 9
    yield "heavy tails", rng.lognormal(0, 1.5, (200, 10)) @ rng.lognormal(0, 1.5, (10, 250)) * rng.lognormal(0, 0.5, (200, 250)), 10
    words = rng.dirichlet(np.full(2000, 0.02), 20).T
    yield "many words", sp.csr_matrix(rng.poisson(words @ (rng.dirichlet(np.full(20, 0.1), 1500).T * 80)).astype(float)), 20
