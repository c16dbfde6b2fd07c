"""The words of a synthetic session: its trade's nouns in a few dozen sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from scripts.synthesis.story import Label, Tool
from scripts.synthesis.trades import Trade

__all__ = ["Phrases", "StepWords"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class StepWords:
    """What a planned step says of itself."""

    name: str
    action: str
    input: str
    output: str
    rubric: tuple[str, ...]


# Two lines to a step read best.
# fmt: off
_STEPS = (
    ("Read the {material}", "Find what matters in the {material} and what is missing.",
     "The {material}.", "A list of facts and open questions."),
    ("Outline the {product}", "Decide on the parts of the {product} and their order.",
     "The list of facts.", "An outline."),
    ("Draft the {product}", "Make a first version of the {product}.",
     "The outline.", "A first version."),
    ("Check against {rule}", "Compare the first version with {rule}.",
     "The first version.", "A list of deviations."),
    ("Revise the {product}", "Work the deviations in.",
     "The list of deviations.", "A second version."),
    ("Test the {product} with a case", "Go through one difficult case.",
     "The second version.", "Notes on the case."),
    ("Write the summary", "Say in a few lines what was done and why.",
     "All of the above.", "A summary of half a page."),
    ("Hand over the {product}", "Put the files together and name what is open.",
     "The final version.", "A folder with a note."),
)
# fmt: on
_WORK = (
    ("Opens the {material}", "Scrolls through the {material} and marks two places."),
    ("Works on the {product}", "Changes the part that was marked before."),
    ("Compares two versions", "Puts both versions of the {product} side by side."),
    ("Tidies the {product}", "Renames parts and removes what is double."),
    ("Looks something up", "Searches for {rule} in the guidelines."),
)
_QUESTIONS = (
    "Here is the {material}. What do I need for the {product}, and what is missing?",
    "Please make a first version of this part of the {product}. Keep to {rule}.",
    "This does not fit {rule}. What would you change in the {product}?",
    "Give me two versions of this part, one short and one complete.",
    "Check the {product} once more, line by line, and list what you are unsure of.",
)
_ANSWERS = (
    "I went through the {material} and found three points that matter for the {product}.",
    "The first is settled already, the second needs a decision of yours, the third touches {rule}.",
    "My proposal is to begin with the second point, because everything after it depends on it.",
    "In the {product} this means one more part near the front and a shorter one at the end.",
    "I am not sure about the date in the {material}; please check it.",
    "Written out, this part is about a third shorter than before and keeps to {rule}.",
    "If you prefer the longer version, the rest can stay as it is.",
)
_RESPONSES: dict[Label, tuple[str, ...]] = {
    "adopt": ("Takes the answer over", "Pastes the answer as it is", "Uses the proposal"),
    "modify": ("Changes the answer and keeps it", "Uses half of the answer", "Rewords the answer"),
    "reject": ("Deletes the answer", "Does it another way", "Leaves the answer aside"),
}
_REASONS = {
    1: "It was of no use; I did it myself.",
    2: "Too much had to be corrected.",
    3: "Half of it could be used.",
    4: "Good after one correction.",
    5: "Could be used as it was.",
}
_INTERRUPTIONS = (
    ("Answer a call", "A customer asks for the state of things."),
    ("Restart a program", "The program does not react any more."),
    ("Find a lost file", "The file was saved in another folder."),
)


class Phrases:
    """Draws a session's sentences; the same generator state draws the same ones."""

    def __init__(self, trade: Trade, session: int, rng: np.random.Generator) -> None:
        """Choose the words.

        Args:
            trade: Whose words.
            session: 1 or 2; the second one works on another part.
            rng: Where the choices come from.
        """
        self._words = {"product": trade.product, "material": trade.material, "rule": trade.rule}
        self._rng = rng
        self.title = f"{trade.product.capitalize()}, part {session}"
        self.goal = (
            f"Make part {session} of the {trade.product} from the {trade.material} so that it "
            f"keeps to {trade.rule}."
        )
        self.context = (
            f"An everyday task of this occupation. The {trade.material} is there, nothing else."
        )
        self.document = f"{trade.product.replace(' ', '_')}_{session}"
        self._trade = trade

    def achieved(self) -> tuple[str, str]:
        """Whether the goal was reached, and why."""
        answer = self._pick(("yes", "yes", "yes", "partly", "no"))
        return answer, {"yes": "All parts are there."}.get(answer, "One part is left open.")

    def step(self, number: int) -> StepWords:
        """The words of a planned step."""
        name, action, given, result = map(self._fill, _STEPS[(number - 1) % len(_STEPS)])
        rubric = ("Nothing is left out.", self._fill("It keeps to {rule}."), "Doubts are named.")
        return StepWords(name, action, given, result, rubric)

    def work(self, step: int) -> tuple[str, str]:
        """Label and detail of work without an AI."""
        label, detail = self._pick(_WORK)
        return self._fill(label), f"{self._fill(detail)} Part {step}."

    def interruption(self) -> tuple[str, str]:
        """Name and action of work outside the plan."""
        return self._pick(_INTERRUPTIONS)

    def question(self, step: int) -> str:
        """What the human asks."""
        return f"{self._fill(self._pick(_QUESTIONS))} It is about part {step}."

    def answer(self, step: int) -> str:
        """What the AI answers: three to seven sentences."""
        count = int(self._rng.integers(3, len(_ANSWERS) + 1))
        chosen = sorted(self._rng.choice(len(_ANSWERS), count, replace=False).tolist())
        return " ".join([f"Part {step}.", *(self._fill(_ANSWERS[index]) for index in chosen)])

    def summary(self, step: int) -> str:
        """What the AI did, as an annotator writes it."""
        return self._fill(f"Answers on part {step} of the {{product}}, with one open question.")

    def exchange(self, step: int, label: Label) -> tuple[str, str, str]:
        """Labels of request, output and response."""
        return (
            self._fill(f"Asks about part {step} of the {{product}}"),
            self._fill(f"Proposes part {step} of the {{product}}"),
            self._pick(_RESPONSES[label]),
        )

    def tools(self, step: int) -> tuple[Tool, ...]:
        """A tool call in a third of the answers."""
        if self._rng.random() > 1 / 3:
            return ()
        name = self._trade.material.replace(" ", "_")
        if self._rng.random() < 0.5:
            return (Tool("search", f"{name} part {step}", "3 places found"),)
        return (Tool("read_file", {"path": f"{name}.txt", "part": step}, {"lines": 10 * step}),)

    def reason(self, rating: int | None) -> str:
        """Why a step was rated so."""
        return "" if rating is None else _REASONS[rating]

    def canvas(self, steps: int) -> tuple[str, ...]:
        """What the application shows in the end."""
        names = [self.step(number).name for number in range(1, steps + 1)]
        if self._trade.app == "sheet":
            rows = [f"{i}|{name}|{12 * i}.50|{-3 * i}.00" for i, name in enumerate(names, start=1)]
            return ("No.|Part|Planned|Difference", *rows)
        if self._trade.app == "plan":
            width = 100 // -(-len(names) // 2)
            return tuple(
                f"Part {i + 1}|{i // 2 * width}|{i % 2 * 50}|{width}|50|{20 + 7 * i}"
                for i in range(len(names))
            )
        head = f"# {self._trade.product.capitalize()}"
        return (head, "", *(line for name in names for line in (f"## {name}", "- done", "")))

    def _fill(self, text: str) -> str:
        return text.format(**self._words)

    def _pick(self, choices: tuple[_T, ...]) -> _T:
        return choices[int(self._rng.integers(len(choices)))]
