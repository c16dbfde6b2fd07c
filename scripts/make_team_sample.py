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
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from kolab_core.files import write_whole  # noqa: E402 - after the path is set

__all__ = ["main", "make_team_sample"]

AGENTS = {"atlas": 0.06, "brook": 0.0, "cedar": -0.07}
JUDGES = {"judge-a": 0.01, "judge-b": -0.03, "judge-c": 0.02}
WEIGHTS = {"accuracy": 40, "completeness": 30, "clarity": 20, "format": 10}
SESSIONS_EACH = 4

HUMANS = (
    ("H01", "Accountant", 11, 0.09),
    ("H02", "Urban planner", 6, 0.05),
    ("H03", "Paralegal", 3, -0.02),
    ("H04", "Logistics analyst", 14, 0.02),
    ("H05", "Museum curator", 8, -0.06),
    ("H06", "Nurse educator", 19, 0.03),
    ("H07", "Market researcher", 5, -0.09),
    ("H08", "Civil engineer", 10, 0.0),
)

TASKS: tuple[dict[str, Any], ...] = (
    {
        "slug": "month-end-variance",
        "title": "Explain a month-end variance",
        "prompt": "Costs of the repair workshop are 14 % over plan in May. Find out which lines "
        "cause it and write a one-page note for the plant manager.",
        "files": {
            "ledger.csv": "line,plan,actual\nspare parts,42000,51800\nwages,61000,62100\n"
            "subcontractors,18000,24700\nenergy,9000,8900\n"
        },
        "software": ["Spreadsheet"],
        "deliverables": ["A one-page note", "A table of variances by line"],
        "onet": ("13-2011.00", "Accountants and Auditors", ["Analyze business operations"]),
        "criteria": (
            ("Every variance equals actual minus plan", "Causes are named only where shown"),
            ("All four cost lines are discussed", "A next step is proposed for each large one"),
            ("The main message stands first", "Terms suit a reader outside accounting"),
            ("It fits one page", "The table has units"),
        ),
    },
    {
        "slug": "bus-stop-siting",
        "title": "Site three bus stops",
        "prompt": "A bus line is to get three new stops between the school and the market. Choose "
        "their places from the list and justify each in three sentences.",
        "files": {
            "places.csv": "place,homes within 300 m,kerb width m\nMill Lane,210,2.4\n"
            "Old Bridge,95,3.1\nPark Gate,180,1.6\nStation Road,320,2.9\nTanner Row,260,2.2\n"
        },
        "software": ["Spreadsheet", "Map viewer"],
        "deliverables": ["Three places with reasons", "A sketch map"],
        "onet": ("19-3051.00", "Urban and Regional Planners", ["Recommend sites for facilities"]),
        "criteria": (
            ("Numbers are those of the list", "No place with a kerb below 2 m is chosen"),
            ("Three places are chosen", "Each has a reason for and one against"),
            ("Reasons can be followed without the list", "Three sentences a place"),
            ("The map names the places", "Places are in order of the line"),
        ),
    },
    {
        "slug": "lease-summary",
        "title": "Summarize a lease",
        "prompt": "Summarize the duties of the tenant in the attached lease for a shop owner who "
        "signs tomorrow. Mark what is unusual.",
        "files": {
            "lease.md": "# Lease of a shop\n\n1. The tenant pays 1,200 a month, in advance.\n"
            "2. The tenant repairs the roof.\n3. The tenant insures the stock.\n"
            "4. Notice is twelve months to the end of a quarter.\n"
        },
        "software": ["Word processor"],
        "deliverables": ["A summary of at most 300 words"],
        "onet": ("23-2011.00", "Paralegals and Legal Assistants", ["Prepare legal documents"]),
        "criteria": (
            ("Duties are stated as in the lease", "The notice period is right"),
            ("All four clauses are covered", "The repair of the roof is marked as unusual"),
            ("Plain words, no Latin", "Duties and risks are kept apart"),
            ("At most 300 words", "A heading for each duty"),
        ),
    },
    {
        "slug": "delivery-rounds",
        "title": "Plan delivery rounds",
        "prompt": "Eleven parcels have to reach seven addresses with two vans. Plan the rounds so "
        "that no van drives more than 60 km, and say what could not be met.",
        "files": {},
        "software": ["Spreadsheet", "Map viewer"],
        "deliverables": ["A plan for each van", "A list of what could not be met"],
        "onet": ("13-1081.00", "Logisticians", ["Plan the movement of goods"]),
        "criteria": (
            ("Distances add up", "No round is above 60 km"),
            ("Every parcel is on a van or on the list", "Loading order is given"),
            ("A driver can follow it", "Assumptions are named"),
            ("One table a van", "Times in 24-hour format"),
        ),
    },
    {
        "slug": "exhibit-labels",
        "title": "Write labels for an exhibition",
        "prompt": "Write labels of 60 words for five tools of a cooper's workshop, for visitors of "
        "ten years and older. Do not invent dates.",
        "files": {
            "objects.md": "- croze, beech and iron\n- adze, ash and steel\n- heading knife\n"
            "- bung borer\n- driver for hoops\n"
        },
        "software": ["Word processor"],
        "deliverables": ["Five labels"],
        "onet": ("25-4012.00", "Curators", ["Plan and conduct exhibitions"]),
        "criteria": (
            ("Uses of the tools are right", "No date is invented"),
            ("All five tools have a label", "Materials are named where known"),
            ("A child of ten understands it", "Each label starts with what the tool does"),
            ("At most 60 words a label", "Names of the tools as headings"),
        ),
    },
    {
        "slug": "shift-handover",
        "title": "Draft a handover checklist",
        "prompt": "Draft a checklist for the handover between shifts on a ward, from the notes of "
        "three nurses. At most fifteen items, most urgent first.",
        "files": {},
        "software": ["Word processor"],
        "deliverables": ["A checklist of at most fifteen items"],
        "onet": ("25-1072.00", "Nursing Instructors and Teachers", ["Prepare course materials"]),
        "criteria": (
            ("Nothing contradicts the notes", "Urgent items are those the notes call urgent"),
            ("Items of all three nurses occur", "Open questions are listed"),
            ("Each item is one action", "No abbreviation without its meaning"),
            ("At most fifteen items", "Boxes to tick"),
        ),
    },
)

QUESTIONS = ("confidence", "trust", "expected_benefit", "effort", "would_use_again")


def make_team_sample(out: Path) -> Path:
    """Write the sample to `out`, replacing what it held; the same bytes every time.

    Raises:
        ValueError: `out` holds something that is no such sample.
    """
    if out.exists() and any(out.iterdir()) and not (out / "judgements.jsonl").is_file():
        raise ValueError(f"{out}: found other files; expected an empty folder or a team sample.")
    if out.exists():
        shutil.rmtree(out)
    rng = random.Random(20260609)
    tasks = [_make_task(task) for task in TASKS]
    sessions, judgements, behaviors = _make_sessions(rng, tasks)
    head = {
        "format": "team_sessions",
        "name": "team-sample",
        "version": "1.0.0-sample",
        "license": "Apache-2.0",
        "agents": list(AGENTS),
    }
    _write(out / "release.json", json.dumps(head, indent=1) + "\n")
    _write_lines(
        out / "humans.jsonl",
        [{"human_id": h, "occupation": o, "years_experience": y} for h, o, y, _ in HUMANS],
    )
    _write_lines(out / "tasks.jsonl", tasks)
    _write_lines(out / "sessions.jsonl", sessions)
    _write_lines(out / "judgements.jsonl", judgements)
    _write_lines(out / "surveys.jsonl", _make_surveys(rng))
    _write_lines(out / "behaviors.jsonl", behaviors)
    _write_lines(out / "solo.jsonl", _make_solo(rng, tasks))
    for task in TASKS:
        for name, text in task["files"].items():
            _write(out / "files" / task["slug"] / name, text)
    return out


def _make_task(task: Mapping[str, Any]) -> dict[str, Any]:
    code, occupation, duties = task["onet"]
    return {
        "task_id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"kolab:{task['slug']}")),
        "title": task["title"],
        "prompt": task["prompt"],
        "reference_files": [f"files/{task['slug']}/{name}" for name in task["files"]],
        "software": task["software"],
        "deliverables": task["deliverables"],
        "onet": {"soc_code": code, "occupation": occupation, "tasks": duties},
        "rubric": [
            {
                "category": category,
                "weight": weight,
                "criteria": [
                    {"id": f"{category}-{i}", "text": text, "points": weight / 2}
                    for i, text in enumerate(texts, start=1)
                ],
            }
            for (category, weight), texts in zip(WEIGHTS.items(), task["criteria"], strict=True)
        ],
    }


def _make_sessions(
    rng: random.Random, tasks: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    sessions, judgements, behaviors = [], [], []
    agents, judges = list(AGENTS), list(JUDGES)
    for index in range(len(HUMANS) * SESSIONS_EACH):
        human_id, _, _, able = HUMANS[index % len(HUMANS)]
        agent = agents[(index * 2 + index // len(HUMANS)) % len(agents)]
        task = tasks[(index * 5 + index // len(tasks)) % len(tasks)]
        quality = 0.78 + AGENTS[agent] + able + rng.uniform(-0.06, 0.06)
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
    for human_id, _, _, able in HUMANS:
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


def _write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    _write(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def _write(path: Path, text: str) -> None:
    with write_whole(path) as temporary:
        temporary.write_bytes(text.encode())


def main(argv: Sequence[str] | None = None) -> int:
    """Write the sample; 0 when done, 2 on a wrong argument."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "sample_team")
    arguments = parser.parse_args(argv)
    try:
        folder = make_team_sample(arguments.out)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    print(f"Wrote {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
