"""A posterior as one file: the summed evidence and the model's constants."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kolab_core.files import write_whole
from kolab_core.skill.evidence import Evidence
from kolab_core.skill.posterior import SkillPosterior, fit_evidence
from kolab_core.skill.ratings import SkillModel

__all__ = ["load_posterior", "save_posterior", "update_posterior"]

_FORMAT = "collab-skill-1"


def save_posterior(posterior: SkillPosterior, path: str | Path) -> None:
    """Write the posterior, whole or not at all.

    Args:
        posterior: What to keep. Its evidence is stored (names, sessions of each pair, sums), from
            which the same posterior follows; single outcomes are not stored.
        path: The file, by custom `*.npz`.

    Raises:
        OSError: The file cannot be written; one that was there before stays as it was.
    """
    evidence = posterior.evidence
    header = {
        "format": _FORMAT,
        "model": asdict(posterior.model),
        "agents": evidence.agents,
        "humans": evidence.humans,
        "n": evidence.n,
        "total": evidence.total,
    }
    with write_whole(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
            agent_index=evidence.agent_index,
            human_index=evidence.human_index,
            pair_counts=np.rint(evidence.pair_counts).astype(np.int64),
            agent_sums=evidence.agent_sums,
            human_sums=evidence.human_sums,
        )


def load_posterior(path: str | Path) -> SkillPosterior:
    """Read what `save_posterior` wrote; the posterior is computed anew, with the same bits.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file is none of ours, is damaged, or contradicts itself.
    """
    try:
        # Opened here, since `np.load` leaves a damaged file open.
        with Path(path).open("rb") as file, zipfile.ZipFile(file):
            file.seek(0)
            with np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
        header = json.loads(arrays["header"].tobytes())
        if header["format"] != _FORMAT:
            raise ValueError(f"format {header['format']!r}")
        evidence = _evidence(header, arrays)
        model = SkillModel(**header["model"])
    except (KeyError, TypeError, ValueError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path}:file: found {type(error).__name__} ({str(error)[:80]}); expected a posterior "
            f"that `save` wrote ({_FORMAT}). Fit the sessions again and save them."
        ) from error
    return fit_evidence(evidence, model)


def update_posterior(
    path: str | Path,
    *,
    agents: Sequence[object],
    humans: Sequence[object],
    outcomes: Sequence[float],
) -> SkillPosterior:
    """Add outcomes to a saved posterior, in place: the file is replaced whole or left alone.

    Args:
        path: A file that `save_posterior` wrote.
        agents: An agent's name a session.
        humans: A human's name a session.
        outcomes: A finite number a session.

    Returns:
        The new posterior, as saved.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file or the sessions are off; nothing is written.
        OSError: The file cannot be written.
    """
    posterior = load_posterior(path).update(agents=agents, humans=humans, outcomes=outcomes)
    save_posterior(posterior, path)
    return posterior


def _evidence(header: dict[str, object], arrays: dict[str, npt.NDArray[np.generic]]) -> Evidence:
    agents, humans = _names(header["agents"]), _names(header["humans"])
    counts = np.asarray(arrays["pair_counts"], dtype=np.float64)
    agent_index = np.asarray(arrays["agent_index"], dtype=np.int64)
    human_index = np.asarray(arrays["human_index"], dtype=np.int64)
    keys = agent_index * len(humans) + human_index
    if keys.shape != counts.shape or not len(keys) or (np.diff(keys) <= 0).any():
        raise ValueError("sorted pairs, none twice, expected")
    for index, names in ((agent_index, agents), (human_index, humans)):
        if index.min() < 0 or set(np.unique(index).tolist()) != set(range(len(names))):
            raise ValueError("pairs of the names, each name in one, expected")
    evidence = Evidence(
        agents=agents,
        humans=humans,
        agent_index=agent_index,
        human_index=human_index,
        pair_counts=counts,
        agent_sums=np.asarray(arrays["agent_sums"], dtype=np.float64),
        human_sums=np.asarray(arrays["human_sums"], dtype=np.float64),
        total=float(str(header["total"])),
        n=int(str(header["n"])),
    )
    sums = (evidence.agent_sums, evidence.human_sums)
    if tuple(map(len, sums)) != (len(agents), len(humans)):
        raise ValueError("as many sums as names expected")
    if (counts <= 0).any() or counts.sum() != evidence.n or not np.isfinite(evidence.total):
        raise ValueError("sessions that add up to n expected")
    if not all(np.allclose(part.sum(), evidence.total, rtol=1e-6, atol=1e-6) for part in sums):
        raise ValueError("sums that add up to the total expected")
    return evidence


def _names(value: object) -> tuple[str, ...]:
    names = tuple(str(name) for name in value) if isinstance(value, list) else ()
    if not names or list(names) != sorted(set(names)):
        raise ValueError("sorted names, none twice, expected")
    return names
