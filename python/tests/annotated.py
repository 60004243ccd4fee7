"""What an AnnData has, for a machine without it."""

import pandas


class Annotated:
    def __init__(self, X, layers):
        self.X, self.layers, self.obsm, self.varm, self.uns = X, layers, {}, {}, {}
        rows, cols = (next(iter(layers.values())) if X is None else X).shape
        self.obs_names = pandas.Index([f"cell{i}" for i in range(rows)])
        self.var_names = pandas.Index([f"gene{j}" for j in range(cols)])
