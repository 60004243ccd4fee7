"""NMF with scikit-learn's coordinate descent, which is HALS."""

import warnings

import peer

peer.takes(["nmf"])  # to load scikit-learn takes a second
try:
    import sklearn
    from sklearn.decomposition import NMF
except ImportError:
    peer.missing("scikit-learn")


def nmf(M, V, W, iterations, inner):
    model = NMF(V.shape[1], solver="cd", init="custom", tol=0, max_iter=iterations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has not converged, by design
        V = model.fit_transform(M, W=V, H=W)
    if model.n_iter_ != iterations:
        raise SystemExit("stopped after %d of %d iterations" % (model.n_iter_, iterations))
    return V, model.components_


peer.main("scikit-learn", sklearn.__version__, {"nmf": nmf})
