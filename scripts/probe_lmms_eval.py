"""Runs inside an environment that has lmms-eval: do the tasks load, show and score as they should?

`scripts/check_lmms_eval.py` starts it.
"""

from __future__ import annotations

import itertools
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lmms_eval.api.model import lmms
from lmms_eval.evaluator import simple_evaluate
from lmms_eval.protocol import ChatMessages
from lmms_eval.tasks import TaskManager
from PIL import Image

from kolab_core.harness import Answer, score_answers
from kolab_core.harness.lmms_eval import MODALITIES_VARIABLE

FOLDER = Path(__file__).resolve().parent.parent / "integrations/lmms_eval"
TASKS = (
    *("kolab_adoption_recognition", "kolab_adoption_forecast"),
    *("kolab_step_n_1", "kolab_step_n_2", "kolab_step_n_3", "kolab_workflow_level"),
    *("kolab_collab_rating", "kolab_output_quality"),
)
TEXTS = {
    "adoption": ("ADOPT", "<think>adopt?</think>\n\nMODIFY", "Answer: **REJECT/BYPASS**", "Hm."),
    "rating": ("4", "<think>2 or 3</think>\n\n5", "Rating: **3**", "3-4", "2/5"),
}


class ChatMock(lmms):  # type: ignore[misc]  # lmms-eval has no types
    """A model that takes messages, remembers them and answers in turn."""

    is_simple = False

    def __init__(self, texts: tuple[str, ...]) -> None:
        super().__init__()
        self.texts = itertools.cycle(texts)
        self.shown: list[list[dict[str, Any]]] = []

    def generate_until(self, requests: list[Any]) -> list[str]:
        """Check the messages as every model class does, and answer."""
        for request in requests:
            _, to_messages, _, doc_id, task, split = request.args
            messages = ChatMessages(messages=to_messages(self.task_dict[task][split][doc_id]))
            self.shown.append(messages.to_hf_messages())
        return [next(self.texts) for _ in requests]

    def loglikelihood(self, requests: list[Any]) -> Any:
        """Not asked for."""
        raise NotImplementedError

    def generate_until_multi_round(self, requests: list[Any]) -> Any:
        """Not asked for."""
        raise NotImplementedError


class SimpleMock(ChatMock):
    """A model that takes a text and pictures."""

    is_simple = True

    def generate_until(self, requests: list[Any]) -> list[str]:
        """Remember the text and the pictures, and answer."""
        for request in requests:
            text, _, to_pictures, doc_id, task, split = request.args
            pictures = to_pictures(self.task_dict[task][split][doc_id])
            parts = [{"type": "image", "image": picture} for picture in pictures]
            self.shown.append(
                [{"role": "user", "content": [{"type": "text", "text": text}, *parts]}]
            )
        return [next(self.texts) for _ in requests]


def main() -> int:
    """Print a line a check; 1 if any failed."""
    failures = 0
    for name, failed in _checks():
        print(f"{'FAILED' if failed else 'ok':6} {name}{f': {failed}' if failed else ''}")
        failures += bool(failed)
    return int(failures > 0)


def _checks() -> Iterator[tuple[str, str]]:
    os.environ[MODALITIES_VARIABLE] = "graph"
    for task in TASKS:
        kind = "rating" if "rating" in task or "quality" in task else "adoption"
        results, _ = _run(task, ChatMock(TEXTS[kind]))
        yield f"{task}: scores", _compare(results, task, kind)
    os.environ[MODALITIES_VARIABLE] = "video-graph-chat"
    for mock in (ChatMock(TEXTS["adoption"]), SimpleMock(TEXTS["adoption"])):
        _, shown = _run("kolab_workflow_level", mock, limit=2)
        pictures = [part["image"] for part in _parts(shown[0]) if part["type"] == "image"]
        is_right = len(pictures) == 32 and all(
            isinstance(picture, Image.Image) and min(picture.size) == 448 for picture in pictures
        )
        found = "" if is_right else f"{len(pictures)} pictures"
        yield f"pictures for a {'simple' if mock.is_simple else 'chat'} model", found
    _, shown = _run("kolab_workflow_level", ChatMock(("ADOPT",)), limit=2, name="qwen2_5_vl")
    clips = [part for part in _parts(shown[0]) if part["type"] == "video"]
    is_right = bool(clips) and all(clip["video_start"] < clip["video_end"] for clip in clips)
    yield "path with start and end for qwen2_5_vl", "" if is_right else f"found {clips}"


def _run(
    task: str, model: Any, *, limit: int | None = None, name: str = "mock"
) -> tuple[dict[str, Any], list[Any]]:
    manager = TaskManager(
        "ERROR", include_path=str(FOLDER), include_defaults=False, model_name=name
    )
    found = simple_evaluate(
        model=model,
        tasks=[task],
        task_manager=manager,
        limit=limit,
        batch_size=1,
        bootstrap_iters=0,
    )
    return found, model.shown


def _parts(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for message in messages for part in message["content"]]


def _compare(results: dict[str, Any], task: str, kind: str) -> str:
    """What differs between lmms-eval's scores and those of its samples' texts; nothing if all."""
    answers = [
        Answer(
            answer=sample["filtered_resps"][0],
            truth=sample["target"],
            participant=sample["doc"]["participant_id"],
        )
        for sample in results["samples"][task]
    ]
    expected = score_answers(answers, kind)
    found = {
        name.removesuffix(",none"): value
        for name, value in results["results"][task].items()
        if name.endswith(",none") and "_stderr" not in name
    }
    wrong = [
        name
        for name, value in found.items()
        if value != expected[name] and not (math.isnan(value) and math.isnan(expected[name]))
    ]
    return f"{', '.join(wrong)} differ" if wrong else "" if len(found) > 10 else f"only {found}"


if __name__ == "__main__":
    sys.exit(main())
