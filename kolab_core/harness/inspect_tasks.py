"""The six experiments as tasks of inspect-ai: `inspect eval kolab/adoption_forecast --model …`.

`inspect_scores` says what a log holds of each answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

try:
    from inspect_ai import Epochs, Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import Content
except ModuleNotFoundError as err:
    hint = "Kolab's tasks for inspect-ai need it: pip install 'kolab[inspect]'."
    raise ModuleNotFoundError(hint, name=err.name) from err

from kolab_core.harness.inspect_frames import show_and_ask
from kolab_core.harness.inspect_messages import to_contents, to_messages
from kolab_core.harness.inspect_names import of_kolab
from kolab_core.harness.inspect_scores import every_answer, kolab_adoption, kolab_rating
from kolab_core.harness.questions import (
    Questions,
    describe_question,
    load_questions,
    true_answer,
)
from kolab_core.prompts import MODALITIES, PROMPT_VERSION, render
from kolab_core.prompts.pictures import clip_of, video_parts
from kolab_core.rows.subsets import SubsetName
from kolab_core.scores import KIND_OF_CONFIG

__all__ = [
    "adoption_forecast",
    "adoption_recognition",
    "collab_rating",
    "output_quality",
    "step_n",
    "workflow_level",
]

# A path with times, which `kolab.render` also gives, is nothing that inspect-ai's models take.
_FRAMES = ("images", "native")
_SCORERS = {"adoption": kolab_adoption, "rating": kolab_rating}


def _make_task(config: str) -> Callable[..., Task]:
    def make(
        modalities: str | Sequence[str] = MODALITIES,
        num_frames: int = 32,
        size: int | None = 448,
        frames: str = "images",
        context_steps: int | None = None,
        data_dir: str | None = None,
        subset: SubsetName | None = None,
        seed: int = 0,
        max_chars: int | None = None,
        log_frames: bool = False,
    ) -> Task:
        """One experiment: a sample for each row that has what the modalities show.

        Args:
            modalities: One or more of video, graph and chat: a list, or a text with commas.
            num_frames: How many frames a model is shown.
            size: The frames' short side in pixels; None keeps the recording's.
            frames: `images`, or `native`: the cut clip as one video, for models that take those.
            context_steps: For `step_n` alone: how many earlier steps are shown; None asks all.
            data_dir: The release; by default `KOLAB_DATA_DIR`, else the embedded sample.
            subset: `balanced` or `rating_tail`, the paper's; None asks all rows.
            seed: Of the subset.
            max_chars: The most characters of graph and chat, oldest left out first.
            log_frames: Whether the log keeps the frames that were shown.
        """
        if frames not in _FRAMES:
            raise ValueError(f"frames: found {frames!r}; expected 'images' or 'native'.")
        questions = load_questions(
            config,
            modalities=modalities,
            data_dir=data_dir,
            context_steps=context_steps,
            subset_name=subset,
            seed=seed,
        )
        shown = {"num_frames": num_frames, "size": size, "frames": frames}
        return _build_task(questions, shown, max_chars=max_chars, log_frames=log_frames)

    make.__name__ = make.__qualname__ = config
    return task(of_kolab(make))


def _build_task(
    questions: Questions, shown: Mapping[str, Any], *, max_chars: int | None, log_frames: bool
) -> Task:
    rows, place_of = questions.rows, {}
    samples = []
    for place, row in enumerate(rows):
        place_of[row["id"]] = place
        samples.append(_make_sample(row, questions, shown, max_chars=max_chars))

    def read_frames(row_id: str) -> list[Content]:
        clip = clip_of(rows[place_of[row_id]])
        return to_contents(video_parts(clip, image_format="jpeg", **shown))

    return Task(
        dataset=MemoryDataset(samples, name=questions.config),
        solver=show_and_ask(read_frames, log_frames=log_frames),
        scorer=_SCORERS[KIND_OF_CONFIG[questions.config]](questions.config),
        epochs=Epochs(1, every_answer()),
        version=PROMPT_VERSION,
        metadata={
            "config": questions.config,
            "modalities": questions.setting,
            "prompt_version": PROMPT_VERSION,
            "num_left_out": questions.num_left_out,
        },
    )


def _make_sample(
    row: Mapping[str, Any],
    questions: Questions,
    shown: Mapping[str, Any],
    *,
    max_chars: int | None,
) -> Sample:
    messages = render(
        row,
        questions.modalities,
        config=questions.config,
        frames="none",
        num_frames=shown["num_frames"],
        size=shown["size"],
        max_chars=max_chars,
    )
    described = describe_question(row, questions.config, questions.modalities)
    if "video" in questions.modalities:
        described |= shown
    return Sample(
        id=row["id"], input=to_messages(messages), target=true_answer(row), metadata=described
    )


adoption_recognition = _make_task("adoption_recognition")
adoption_forecast = _make_task("adoption_forecast")
step_n = _make_task("step_n")
workflow_level = _make_task("workflow_level")
collab_rating = _make_task("collab_rating")
output_quality = _make_task("output_quality")
