"""Asking questions side by side: a few at a time, again after a failure, answers kept as they come.

Threads do all the work on a question, from reading its row to writing its answer, so that no more
questions are in memory than are being asked.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from tqdm import tqdm

from kolab_core.clip import ClipError
from kolab_core.predict.answers_file import AnswersFile, Key
from kolab_core.predict.questions import Messages, Question, Wording
from kolab_core.prompts import MissingInputError

__all__ = ["Answer", "Asking", "Model", "PredictError"]

Answer = str | int | float
Model = Callable[[Messages], Answer]

# A model that cannot be reached fails at every question: no need to try them all.
_MOST_IN_A_ROW = 10


class PredictError(RuntimeError):
    """Questions without an answer; the answers that there are stay in the file."""


@dataclass
class Asking:
    """One call's work.

    Attributes:
        model: From messages to an answer.
        wording: How rows become questions.
        file: Where answers go.
        retries: How often a question is asked again after a failure.
        wait_s: Seconds before the second try; they double from try to try.
        missing: What a row without an input that the setting shows is: an error, or left out.
        bar: Shows how far it is.
        left_out: Rows left out, by the input that they lack.
        num_asked: Answers that were got.
        failures: Questions that every try failed at, with the last error.
    """

    model: Model
    wording: Wording
    file: AnswersFile
    retries: int
    wait_s: float
    missing: Literal["raise", "skip"]
    bar: tqdm
    left_out: Counter[str] = field(default_factory=Counter)
    num_asked: int = 0
    failures: list[tuple[Key, Exception]] = field(default_factory=list)
    _num_in_a_row: int = 0
    _fatal: BaseException | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask_all(self, questions: Iterable[Question], *, concurrency: int) -> None:
        """Ask those that the file has no answer to.

        Raises:
            PredictError: Some were not answered.
            Exception: Whatever else went wrong than the model's failing; nothing more is asked.
        """
        free = threading.Semaphore(concurrency)

        def work(question: Question) -> None:
            try:
                self._ask_one(question)
            finally:
                free.release()

        with ThreadPoolExecutor(concurrency, thread_name_prefix="kolab-predict") as pool:
            try:
                for question in questions:
                    if question.key in self.file.digests:
                        continue
                    free.acquire()
                    if self._stop.is_set():
                        break
                    pool.submit(work, question)
            except BaseException:
                self._stop.set()
                raise
        if self._fatal is not None:
            raise self._fatal
        if self.failures:
            raise self._summary()

    def _ask_one(self, question: Question) -> None:
        if self._stop.is_set():
            return
        try:
            row = question.load()
            digest = self.wording.digest(row)
            answer = self._try(self.wording.write(row))
            if answer is None:
                return
            self.file.add(question.key, answer, digest=digest)
        except MissingInputError as err:
            self._leave_out(err)
        except (_FailedError, ClipError) as err:
            self._fail(question.key, err.reason if isinstance(err, _FailedError) else err)
        except BaseException as err:  # noqa: BLE001 - it is raised again where it was called
            self._fatal = self._fatal or err
            self._stop.set()
        else:
            with self._lock:
                self.num_asked += 1
                self._num_in_a_row = 0
                self.bar.update()

    def _try(self, messages: Messages) -> Answer | None:
        """The model's answer; None if the work was stopped between two tries."""
        for index in range(self.retries + 1):
            try:
                answer = self.model(messages)
            except Exception as err:  # whatever a model's client raises
                if index == self.retries:
                    raise _FailedError(err) from err
                if self._stop.wait(self.wait_s * 2**index):
                    return None
            else:
                return _check_answer(answer)
        return None

    def _leave_out(self, err: MissingInputError) -> None:
        with self._lock:
            if self.missing == "raise":
                self._fatal = self._fatal or err
                self._stop.set()
            else:
                self.left_out[err.modality] += 1
                self.bar.total = None if self.bar.total is None else self.bar.total - 1
                self.bar.refresh()

    def _fail(self, key: Key, err: Exception) -> None:
        with self._lock:
            self.failures.append((key, err))
            self._num_in_a_row += 1
            if self._num_in_a_row >= _MOST_IN_A_ROW:
                self._stop.set()

    def _summary(self) -> PredictError:
        (name, run), err = self.failures[0]
        number = len(self.failures)
        stopped = self._num_in_a_row >= _MOST_IN_A_ROW
        what = f"{number} question{'s' * (number > 1)} failed"
        if stopped:
            what += f", the last {self._num_in_a_row} in a row, and no more were asked"
        return PredictError(
            f"{what}. The first is {name}, run {run}: {type(err).__name__}: {err}\n"
            f"The {len(self.file.digests)} answers that there are stay; the same call asks the "
            "others."
        )


class _FailedError(Exception):
    """Every try failed; `reason` is the last one's error."""

    def __init__(self, reason: Exception) -> None:
        self.reason = reason
        super().__init__(reason)


def _check_answer(answer: object) -> Answer:
    """An answer as the file holds it: text or a number.

    Raises:
        TypeError: Another type: an error in the model's code, not an answer that can be scored.
    """
    if isinstance(answer, str | int | float) and not isinstance(answer, bool):
        return answer
    raise TypeError(
        f"fn: found an answer of type {type(answer).__name__}; expected text, or a number."
    )
