"""Make the embedded sample of rated team sessions: small, synthetic, the same bytes every time.

python scripts/make_team_sample.py            # writes sample_team/ again
python scripts/make_team_sample.py OUT        # writes it elsewhere
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.synthesis.folder import new_release, write_lines  # noqa: E402 - after the path is set

__all__ = ["main", "make_team_sample"]

SAMPLE = ROOT / "sample_team"
AGENTS = {"atlas": 0.06, "brook": 0.0, "cedar": -0.07}
JUDGES = {"judge-a": 0.01, "judge-b": -0.03, "judge-c": 0.02}
SESSIONS_EACH = 4

ABILITIES = {
    "H01": 0.09,
    "H02": 0.05,
    "H03": -0.02,
    "H04": 0.02,
    "H05": -0.06,
    "H06": 0.03,
    "H07": -0.09,
    "H08": 0.0,
}

QUESTIONS = ("confidence", "trust", "expected_benefit", "effort", "would_use_again")


def make_team_sample(out: str | Path) -> Path:
    """Write the sample to `out`, replacing what it held; the same bytes every time.

    Its people, its tasks and their files are the sample's own; what is measured is drawn anew.

    Raises:
        FileExistsError: `out` is there and is neither empty nor such a sample.
    """
    rng = random.Random(20260609)
    lines = (SAMPLE / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    tasks = [json.loads(line) for line in lines]
    sessions, judgements, behaviors = _make_sessions(rng, tasks)
    with new_release(out, name="team-sample") as folder:
        for name in ("release.json", "humans.jsonl", "tasks.jsonl"):
            shutil.copy(SAMPLE / name, folder)
        shutil.copytree(SAMPLE / "files", folder / "files")
        write_lines(folder / "sessions.jsonl", sessions)
        write_lines(folder / "judgements.jsonl", judgements)
        write_lines(folder / "surveys.jsonl", _make_surveys(rng))
        write_lines(folder / "behaviors.jsonl", behaviors)
        write_lines(folder / "solo.jsonl", _make_solo(rng, tasks))
    return Path(out).absolute()


def _make_sessions(
    rng: random.Random, tasks: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    sessions, judgements, behaviors = [], [], []
    humans, agents, judges = list(ABILITIES), list(AGENTS), list(JUDGES)
    for index in range(len(humans) * SESSIONS_EACH):
        human_id = humans[index % len(humans)]
        agent = agents[(index * 2 + index // len(humans)) % len(agents)]
        task = tasks[(index * 5 + index // len(tasks)) % len(tasks)]
        quality = 0.78 + AGENTS[agent] + ABILITIES[human_id] + rng.uniform(-0.06, 0.06)
        session_id = f"T{index + 1:02d}"
        # Every fourth session has a third judge.
        sitting = judges if index % 4 == 3 else [judges[index % 3], judges[(index + 1) % 3]]
        totals = []
        for judge in sorted(sitting):
            points = _judge(rng, task, quality + JUDGES[judge])
            totals.append(sum(points.values()))
            judgements.append(
                {
                    "session_id": session_id,
                    "judge": judge,
                    "points": points,
                    "total": totals[-1],
                    "comment": None,
                }
            )
        prompts = 4 + rng.randrange(10)
        sessions.append(
            {
                "session_id": session_id,
                "task_id": task["task_id"],
                "agent": agent,
                "human_id": human_id,
                "minutes": 25 + 3 * prompts,
                "outcome": round(sum(totals) / len(totals), 2),
            }
        )
        codes: dict[str, Any] = {"num_prompts": prompts}
        codes["asked_for_sources"] = rng.random() < 0.3 + 4 * (quality - 0.78)
        codes["edited_output"] = rng.random() < 0.6
        behaviors.append({"session_id": session_id, "codes": codes})
    return sessions, judgements, behaviors


def _judge(rng: random.Random, task: Mapping[str, Any], quality: float) -> dict[str, float]:
    """Half points for each criterion, scattered around its share."""
    points = {}
    for category in task["rubric"]:
        for criterion in category["criteria"]:
            share = min(1.0, max(0.0, quality + rng.uniform(-0.1, 0.1)))
            points[criterion["id"]] = round(2 * criterion["points"] * share) / 2
    return points


def _make_surveys(rng: random.Random) -> list[dict[str, Any]]:
    lines = []
    for human_id, able in ABILITIES.items():
        before = {name: 4 + rng.randrange(-1, 2) + (able > 0) for name in QUESTIONS}
        after = {name: min(7, value + rng.randrange(3)) for name, value in before.items()}
        after["effort"] = max(1, before["effort"] - rng.randrange(2))
        lines.append({"human_id": human_id, "phase": "pre", "answers": before})
        lines.append({"human_id": human_id, "phase": "post", "answers": after})
    return lines


def _make_solo(rng: random.Random, tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "task_id": task["task_id"],
            "agent": agent,
            "outcome": round(100 * (0.76 + skill + rng.uniform(-0.05, 0.05)), 1),
        }
        for task in tasks
        for agent, skill in AGENTS.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Write the sample; 0 when done, 2 on a wrong argument."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", nargs="?", type=Path, default=SAMPLE)
    arguments = parser.parse_args(argv)
    try:
        folder = make_team_sample(arguments.out)
    except OSError as error:
        parser.error(str(error))
    print(f"Wrote {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
