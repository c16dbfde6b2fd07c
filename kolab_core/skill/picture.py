"""The ratings as a picture: agents and humans with mu ± 3 sigma, and how stable the ranks are."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from kolab_core.files import write_whole
from kolab_core.skill.posterior import SkillPosterior
from kolab_core.skill.ratings import Side
from kolab_core.skill.stability import BootstrapRanks

__all__ = ["check_picture", "draw_skill"]

_MOST_ROWS = 120
_MOST_NAMES = 60
_AGENT_COLOR, _HUMAN_COLOR = "#1b6ca8", "#b5541c"
_SUFFIXES = (".png", ".svg", ".pdf")


def draw_skill(
    posterior: SkillPosterior, path: str | Path, *, bootstrap: BootstrapRanks | None = None
) -> None:
    """Draw the ratings to a file, whole or not at all.

    Args:
        posterior: The fitted model.
        path: A file ending in `.png`, `.svg` or `.pdf`.
        bootstrap: The agents' ranks over resampled studies, drawn as each rank's share; by default
            left out.

    Raises:
        ModuleNotFoundError: matplotlib is not installed (extra `plot`).
        ValueError: Another ending.
        OSError: The file cannot be written.

    Notes:
        Beyond 120 entities a side every k-th is drawn (best and worst always), and its title says
        so.
    """
    check_picture(path)
    from matplotlib.figure import Figure

    target = Path(path)
    rows = max(2 * len(_choose(posterior.agents)), len(_choose(posterior.humans)))
    figure = Figure(figsize=(11, min(10.5, max(4.8, 1.2 + 0.15 * rows))), layout="constrained")
    grid = figure.add_gridspec(1 if bootstrap is None else 2, 2)
    _draw_side(figure.add_subplot(grid[0, 0]), posterior.agents, "Agents", _AGENT_COLOR)
    _draw_side(figure.add_subplot(grid[:, 1]), posterior.humans, "Humans", _HUMAN_COLOR)
    if bootstrap is not None:
        _draw_ranks(figure.add_subplot(grid[1, 0]), bootstrap)
    if len(posterior.groups) > 1:
        figure.suptitle(
            f"{len(posterior.groups)} groups share no partner: scores compare within one only",
            fontsize=9,
        )
    with write_whole(target) as temporary:
        figure.savefig(temporary, dpi=150, format=target.suffix[1:].lower())


def check_picture(path: str | Path) -> None:
    """See that a picture can be drawn to this path, before anything is computed.

    Raises:
        ModuleNotFoundError: matplotlib is not installed (extra `plot`).
        ValueError: An ending other than `.png`, `.svg` and `.pdf`.
    """
    suffix = Path(path).suffix
    if suffix.lower() not in _SUFFIXES:
        raise ValueError(f"{path}: found ending {suffix!r}; expected .png, .svg or .pdf.")
    if importlib.util.find_spec("matplotlib") is None:
        raise ModuleNotFoundError(
            "matplotlib: not installed; a picture needs it. Run `pip install 'kolab[plot]'`."
        )


def _choose(side: Side) -> np.ndarray[Any, Any]:
    """The positions drawn, best first."""
    size = len(side.names)
    if size <= _MOST_ROWS:
        return np.arange(size)
    return np.unique(np.linspace(0, size - 1, _MOST_ROWS).round().astype(np.int64))


def _draw_side(axis: Any, side: Side, title: str, color: str) -> None:
    """One line an entity, best on top: mu as a dot, mu ± 3 sigma as a bar."""
    chosen = _choose(side)
    heights = np.arange(len(chosen))
    axis.errorbar(
        side.mu[chosen],
        heights,
        xerr=3 * side.sigma[chosen],
        fmt="o",
        color=color,
        ecolor=color,
        markersize=4 if len(chosen) <= _MOST_NAMES else 2.5,
        elinewidth=1.2,
        capsize=2 if len(chosen) <= _MOST_NAMES else 0,
    )
    if len(chosen) <= _MOST_NAMES:
        axis.set_yticks(heights, [_shorten(side.names[i]) for i in chosen.tolist()])
        axis.tick_params(axis="y", labelsize=9 if len(chosen) <= 30 else 6)
    else:
        axis.set_yticks([0, len(chosen) - 1], ["best", "worst"])
    axis.set_ylim(len(chosen) - 0.5, -0.5)
    drawn = "" if len(chosen) == len(side.names) else f", {len(chosen)} of {len(side.names)} drawn"
    axis.set_title(f"{title} (by score μ − 3σ{drawn})", fontsize=10)
    axis.set_xlabel("skill: μ ± 3σ")
    axis.grid(axis="x", alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)


def _draw_ranks(axis: Any, bootstrap: BootstrapRanks) -> None:
    """Share of each rank as a shaded table, agents in the order of the ratings."""
    shares = np.array([agent.rank_shares for agent in bootstrap.agents])
    size = len(shares)
    axis.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    names = [_shorten(agent.name) for agent in bootstrap.agents]
    if size <= _MOST_NAMES:
        axis.set_yticks(range(size), names, fontsize=9 if size <= 30 else 6)
    if size <= 12:
        axis.set_xticks(range(size), [str(rank) for rank in range(1, size + 1)])
        for row, column in np.argwhere(shares >= 0.005).tolist():
            share = float(shares[row, column])
            color = "white" if share > 0.6 else "black"
            axis.text(
                column, row, f"{share:.2f}", ha="center", va="center", color=color, fontsize=8
            )
    axis.set_xlabel("rank")
    axis.set_title(
        f"Share of each rank, {bootstrap.rounds:,} rounds\n"
        f"(mean Kendall's τ {bootstrap.mean_kendall_tau:.2f})",
        fontsize=10,
    )


def _shorten(name: str) -> str:
    # A dollar sign would start a formula.
    short = name if len(name) <= 24 else name[:23] + "…"
    return short.replace("$", r"\$")
