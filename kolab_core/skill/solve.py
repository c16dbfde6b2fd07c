"""The model's linear algebra: a bipartite system solved exactly, with every variance.

With ridge r = beta^2 / sigma0^2, the posterior precision times beta^2 is

    K = [ Da   C  ]      Da = r + sessions of each agent (diagonal),
        [ C^T  Dh ]      Dh = r + sessions of each human (diagonal), C = sessions of each pair.

The larger side is eliminated, since its block is a diagonal; what is left is the Schur complement
S = D_small - C D_large^-1 C^T, which is factored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg import lapack
from scipy.sparse import linalg as sparse_linalg

__all__ = ["BipartiteSystem", "CountTable", "SolvedPair"]

FloatArray = npt.NDArray[np.float64]
# A plain array for few pairs; Any, since SciPy's sparse arrays are not typed.
CountTable: TypeAlias = Any

# Up to this many rows S is a dense matrix (8,000: 512 MB), whatever its sparsity.
_MAX_DENSE = 8000
# Beyond it S stays sparse only if at most this share of it can be filled.
_MAX_FILL = 0.05
_CHUNK_CELLS = 4_000_000
_BLOCK = 256
# OpenBLAS hands dpotri to threads at any size, and waking them on a busy machine costs far more
# than the inverse of a small matrix; up to this size its product of two matrices needs none.
_MOST_UNTHREADED = 64
# Up to this many columns all rows are multiplied at once, whatever their length.
_NARROW = 128


@dataclass(frozen=True, eq=False)
class SolvedPair:
    """A quantity of both sides: float64 [agents] and float64 [humans] (or with columns)."""

    agents: FloatArray
    humans: FloatArray


class BipartiteSystem:
    """K of the module's docstring, factored once; then solved for as many sides as needed.

    Args:
        counts: [agents, humans], the (possibly fractional) sessions of each pair, >= 0; sparse, or
            a plain array where that is small.
        ridge: beta^2 / sigma0^2 > 0.
        max_dense: Size of the smaller side up to which its Schur complement is dense.

    Raises:
        ValueError: K is singular to working precision.

    Notes:
        Cost with k = the smaller side: k^3 / 3 multiplications and 8 k^2 bytes for the factor, the
        same again for the variances. Above `max_dense`, when most of S is empty, a sparse
        factorisation is used and the variances are solved for in blocks of columns.
    """

    def __init__(self, counts: CountTable, *, ridge: float, max_dense: int = _MAX_DENSE) -> None:
        self._is_transposed = counts.shape[0] > counts.shape[1]
        across: Any = counts.T if self._is_transposed else counts
        if isinstance(counts, np.ndarray):
            self._across: Any = np.ascontiguousarray(across)
            self._down: Any = self._across.T
        else:
            self._across = across.tocsr()
            self._down = self._across.T.tocsr()
        self._small = ridge + self._across.sum(axis=1)
        self._large = ridge + self._across.sum(axis=0)
        size = self._across.shape[0]
        self._is_sparse = size > max_dense and _most_fill(self._down) <= _MAX_FILL * size**2
        try:
            self._factor: Any = self._factor_sparse() if self._is_sparse else self._factor_dense()
        except (np.linalg.LinAlgError, RuntimeError) as error:
            raise ValueError(
                f"beta, sigma0: found a ratio whose square is {ridge:.3g}; expected one large "
                "enough for the skills to be told apart in double precision."
            ) from error

    @property
    def size(self) -> int:
        """Number of entities on the smaller side."""
        return int(self._across.shape[0])

    def solve(self, right: SolvedPair) -> SolvedPair:
        """The x with K x = right; `right` may hold several columns."""
        small, large = self._turn(right)
        scale = self._large if large.ndim == 1 else self._large[:, None]
        reduced = small - self._across @ (large / scale)
        if self._is_sparse:
            found = self._factor.solve(reduced)
        else:
            found = lapack.dpotrs(self._factor, reduced, lower=True)[0]
        rest = (large - self._down @ found) / scale
        return SolvedPair(rest, found) if self._is_transposed else SolvedPair(found, rest)

    def variances(self, *, is_last: bool = False) -> SolvedPair:
        """The diagonal of K^-1; `is_last` gives up the factor, if nothing is solved for after."""
        if self._is_sparse:
            small, quadratic = self._invert_sparse()
        else:
            small, quadratic = self._invert_dense(overwrite=is_last)
        if is_last:
            self._factor = None
        large = 1 / self._large + quadratic / self._large**2
        return SolvedPair(large, small) if self._is_transposed else SolvedPair(small, large)

    def _turn(self, pair: SolvedPair) -> tuple[FloatArray, FloatArray]:
        return (pair.humans, pair.agents) if self._is_transposed else (pair.agents, pair.humans)

    def _scaled(self) -> sparse.csr_array:
        scaled = self._across.copy()
        scaled.data = scaled.data / self._large[scaled.indices]
        return scaled

    def _factor_dense(self) -> FloatArray:
        """Lower Cholesky factor of S, which is built in blocks of rows and factored in place."""
        if isinstance(self._across, np.ndarray):
            schur = (self._across / -self._large) @ self._down
        else:
            schur = self._multiply_sparse()
        schur.flat[:: self.size + 1] += self._small
        # S is symmetric: its transpose is itself in the column order that LAPACK works on in place.
        factor, info = lapack.dpotrf(schur.T, lower=True, overwrite_a=True)
        if info:
            raise np.linalg.LinAlgError(f"leading minor {info} is not positive definite")
        return np.asarray(factor)

    def _multiply_sparse(self) -> FloatArray:
        """-C D_large^-1 C^T of sparse counts, a block of rows at a time."""
        scaled = self._scaled()
        product = np.empty((self.size, self.size))
        step = max(1, _CHUNK_CELLS // self.size)
        for start in range(0, self.size, step):
            rows = slice(start, start + step)
            np.negative((scaled[rows] @ self._down).toarray(), out=product[rows])
        return product

    def _factor_sparse(self) -> sparse_linalg.SuperLU:
        diagonal = sparse.dia_array((self._small[None], [0]), shape=(self.size, self.size))
        schur = diagonal - self._scaled() @ self._down
        return sparse_linalg.splu(
            schur.tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

    def _invert_dense(self, *, overwrite: bool) -> tuple[FloatArray, FloatArray]:
        # Both see the same pivots, which the factorisation has found positive: nothing can fail.
        if self.size <= _MOST_UNTHREADED:
            half = lapack.dtrtri(self._factor, lower=True)[0]
            inverse = half.T @ half
        else:
            inverse = lapack.dpotri(self._factor, lower=True, overwrite_c=overwrite)[0]
            _mirror_lower(inverse)
        if isinstance(self._across, np.ndarray):
            quadratic = ((inverse @ self._across) * self._across).sum(axis=0)
        else:
            quadratic = _quadratic_forms(self._down, inverse)
        return inverse.diagonal().copy(), quadratic

    def _invert_sparse(self) -> tuple[FloatArray, FloatArray]:
        """Columns of S^-1, a block at a time; each gives its entities' share of every form."""
        diagonal = np.empty(self.size)
        quadratic = np.zeros(self._down.shape[0])
        columns = self._down.tocsc()
        for start in range(0, self.size, _BLOCK):
            stop = min(start + _BLOCK, self.size)
            unit = np.zeros((self.size, stop - start))
            unit[np.arange(start, stop), np.arange(stop - start)] = 1
            solved = self._factor.solve(unit)
            diagonal[start:stop] = solved[np.arange(start, stop), np.arange(stop - start)]
            block = columns[:, start:stop].tocoo()
            product = self._down @ solved
            quadratic += np.bincount(
                block.row, block.data * product[block.row, block.col], minlength=len(quadratic)
            )
        return diagonal, quadratic


def _most_fill(rows: sparse.csr_array) -> float:
    """How many cells of S can be filled at most."""
    lengths = np.diff(rows.indptr).astype(np.float64)
    return float((lengths**2).sum() + rows.shape[1])


def _mirror_lower(matrix: FloatArray) -> None:
    """Copy the lower triangle over the upper one, which is empty, block by block."""
    size = len(matrix)
    for start in range(0, size, _BLOCK):
        stop = min(start + _BLOCK, size)
        corner = matrix[start:stop, start:stop]
        corner += np.tril(corner, -1).T
        matrix[start:stop, stop:] = matrix[stop:, start:stop].T


def _quadratic_forms(rows: sparse.csr_array, inverse: FloatArray) -> FloatArray:
    """r^T M r for every sparse row r: rows of equal length are gathered together."""
    size = len(inverse)
    lengths = np.diff(rows.indptr)
    forms = np.zeros(len(lengths))
    if size <= _NARROW:
        step = max(1, _CHUNK_CELLS // size)
        for start in range(0, len(forms), step):
            part = rows[start : start + step]
            index = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
            weights = part.data * (part @ inverse)[index, part.indices]
            forms[start : start + step] = np.bincount(index, weights, minlength=part.shape[0])
        return forms
    for length in np.unique(lengths[lengths > 0]).tolist():
        members = np.flatnonzero(lengths == length)
        is_wide = 8 * length > size
        step = max(1, _CHUNK_CELLS // (size if is_wide else length**2))
        for start in range(0, len(members), step):
            chosen = members[start : start + step]
            if is_wide:
                dense = rows[chosen].toarray()
                forms[chosen] = np.einsum("rk,rk->r", dense @ inverse, dense)
                continue
            at = rows.indptr[chosen][:, None] + np.arange(length)
            columns, weights = rows.indices[at], rows.data[at]
            gathered = inverse[columns[:, :, None], columns[:, None, :]]
            forms[chosen] = ((weights[:, None, :] @ gathered)[:, 0] * weights).sum(axis=1)
    return forms
