"""A release to score on, and files of answers to its rows."""

import json

import numpy as np
from tiny_release import edit_json, write_release

from kolab_core.release import open_release
from kolab_core.rows.experiments import session_rows

LABELS = ("adopt", "modify", "reject")
ANSWERS = ("ADOPT", "Modify.", "REJECT/BYPASS")


def write_scored_release(folder):
    """Eight sessions of four people with all three labels; P02_S1 has no chat, none a recording."""
    root = write_release(folder, num_sessions=8)
    for name, label in (("P01_S2", "modify"), ("P02_S1", "reject"), ("P03_S2", "reject")):
        edit_json(root / "sessions" / name / "graph.json", '"adopt"', f'"{label}"')
    (root / "sessions" / "P02_S1" / "chat.jsonl").unlink()
    edit_json(root / "sessions" / "P04_S1" / "workflow.json", '{"rating": 5}', '{"rating": 2}')
    return root


def rows_of(release, config):
    opened = open_release(release)
    return [row for name in opened.session_ids for row in session_rows(opened, name, config)]


def make_lines(rows, *, seed=0, runs=(None,), modalities=(None,)):
    """A line a row, run and setting; about half of the answers are right."""
    rng = np.random.default_rng(seed)
    lines = []
    for setting in modalities:
        for run in runs:
            for row in rows:
                if "label" in row:
                    truth, choices = ANSWERS[row["label"]], ANSWERS
                else:
                    truth, choices = row["rating"], range(1, 6)
                answer = truth if rng.random() < 0.5 else choices[rng.integers(len(choices))]
                line = {"id": row["id"], "prediction": answer}
                line |= {} if run is None else {"run": run}
                lines.append(line | ({} if setting is None else {"modalities": setting}))
    return lines


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
