"""`kolab.predict`: rows in, a file of answers out, which any later call goes on with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tqdm import tqdm

from kolab_core.clip.arguments import check_seconds, check_whole
from kolab_core.predict.answers_file import AnswersFile, AnswersFileError, Key
from kolab_core.predict.asking import Asking, Model
from kolab_core.predict.questions import Question, Row, Rows, Wording, choose_config
from kolab_core.prompts import MODALITIES, MissingInputError
from kolab_core.prompts.setting import FrameKind, ImageFormat

__all__ = ["Predicted", "predict"]


@dataclass(frozen=True)
class Predicted:
    """What a call of `predict` came to.

    Attributes:
        path: The file.
        num_answers: Answers in it.
        num_asked: Those that this call added.
        left_out: Rows left out, by the input that they lack; a row counts once a run.
    """

    path: Path
    num_answers: int
    num_asked: int
    left_out: dict[str, int]


def predict(
    ds: Iterable[Row],
    fn: Model,
    out: str | Path = "answers.jsonl",
    *,
    modalities: Iterable[str] = MODALITIES,
    config: str | None = None,
    runs: int = 1,
    concurrency: int = 1,
    retries: int = 2,
    wait_s: float = 1.0,
    missing: Literal["raise", "skip"] = "raise",
    progress: bool = True,
    num_frames: int = 32,
    size: int | None = 448,
    frames: FrameKind = "images",
    image_format: ImageFormat = "jpeg",
    max_chars: int | None = None,
) -> Predicted:
    """Ask a model about every row, and keep each answer in a file that `kolab score` reads.

    An answer is on the disk before it counts as given: whatever ends the process, the same call
    goes on where it stopped, asks nothing again, and comes to the same file. What is asked is part
    of each line. If the file holds answers to something else (another experiment or setting, other
    options, other prompts, or rows whose text has changed since), nothing is asked or written.

    Rows are rendered by the threads that ask, one at a time each.

    Args:
        ds: Rows of one experiment: a dataset, a stream, or a list.
        fn: From messages, as `render` gives them, to the answer: text as the model writes it, or a
            number. With `concurrency` it is called from several threads.
        out: The file, JSON lines. Rows that it has answers to are not asked again; other answers of
            the same setup stay.
        modalities: As in `render`.
        config: As in `render`; by default the dataset's own name, where it has one.
        runs: How often each question is asked, at least 1; the runs are numbered from 0.
        concurrency: How many questions are asked side by side, at least 1.
        retries: How often a question is asked again when `fn` raises, at least 0.
        wait_s: Seconds before the second try; they double from try to try.
        missing: "raise" stops at a row that lacks an input which the modalities ask for; "skip"
            leaves it out and counts it.
        progress: Whether to show a bar.
        num_frames: As in `render`.
        size: As in `render`.
        frames: As in `render`.
        image_format: As in `render`.
        max_chars: As in `render`.

    Returns:
        Counts. The lines of the file are in order of the runs, and of the rows in them.

    Raises:
        AnswersFileError: The file holds something else, or another process writes to it.
        PredictError: Questions whose every try failed, or whose recording gives no frames. All
            others have been asked, unless ten in a row failed.
        MissingInputError: A row lacks an input, with `missing="raise"`.
        OSError: The file cannot be read or written.
        TypeError: An argument of the wrong type, or an answer that is neither text nor a number.
        ValueError: An argument out of range, no row, or an id that occurs twice.
    """
    _check_numbers(runs=runs, concurrency=concurrency, retries=retries, wait_s=wait_s)
    if missing not in ("raise", "skip"):
        raise ValueError(f"missing: found {missing!r}; expected 'raise' or 'skip'.")
    rows = Rows(ds)
    wording = Wording(
        config=choose_config(ds, rows.first, config),
        modalities=modalities if isinstance(modalities, str) else tuple(modalities),
        num_frames=num_frames,
        size=size,
        frames=frames,
        image_format=image_format,
        max_chars=max_chars,
    )
    with contextlib.suppress(MissingInputError):
        wording.digest(rows.first)  # an option that is out of range shows before there is a file
    with AnswersFile(out, wording.setup) as file:
        _check_rows(file, rows, wording, name=str(out))
        with _bar(file, rows, runs, is_shown=progress) as bar:
            asking = Asking(
                model=fn,
                wording=wording,
                file=file,
                retries=retries,
                wait_s=wait_s,
                missing=missing,
                bar=bar,
            )
            keys: list[Key] = []
            asking.ask_all(_questions(rows, runs, keys), concurrency=concurrency)
        file.put_in_order(keys)
        return Predicted(
            path=Path(out),
            num_answers=len(file.digests),
            num_asked=asking.num_asked,
            left_out=dict(asking.left_out),
        )


def _questions(rows: Rows, runs: int, keys: list[Key]) -> Iterator[Question]:
    """Every row in every run; `keys` notes their order."""
    for run in range(runs):
        for name, load in rows:
            keys.append((name, run))
            yield Question((name, run), load)


def _bar(file: AnswersFile, rows: Rows, runs: int, *, is_shown: bool) -> tqdm:
    ids = rows.ids or []
    return tqdm(
        total=None if rows.ids is None else len(ids) * runs,
        initial=sum((name, run) in file.digests for run in range(runs) for name in ids),
        desc="answers",
        unit="",
        disable=not is_shown,
    )


def _check_numbers(*, runs: int, concurrency: int, retries: int, wait_s: float) -> None:
    limits = {"runs": (runs, 1), "concurrency": (concurrency, 1), "retries": (retries, 0)}
    for name, (value, least) in limits.items():
        check_whole(name, value)
        if value < least:
            raise ValueError(f"{name}: found {value}; expected at least {least}.")
    check_seconds("wait_s", wait_s)
    if not wait_s >= 0:
        raise ValueError(f"wait_s: found {wait_s}; expected at least 0.")


def _check_rows(file: AnswersFile, rows: Rows, wording: Wording, *, name: str) -> None:
    """Whether the rows that the file has answers to still ask what was asked.

    Raises:
        AnswersFileError: One does not.
    """
    asked: dict[str, set[str]] = {}
    for (row_id, _), found in file.digests.items():
        asked.setdefault(row_id, set()).add(found)
    if not asked:
        return
    for row_id, load in rows:
        if row_id in asked and asked[row_id] != {wording.digest(load())}:
            raise AnswersFileError(
                f"{name}: found an answer to {row_id!r} whose question has changed since; expected "
                "the rows that were asked about. Name another file."
            )
