"""docs/prompts.md does as it says, and a prompt that changes brings a new version."""

from __future__ import annotations

import hashlib
import re
import warnings
from pathlib import Path

import datasets
from rendered import GOLDEN

from kolab_core.prompts import PROMPT_VERSION

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ROOT / "kolab_core" / "prompts" / "templates"
# The digest of all expected prompts, by version; a new text gets a new line, never an old one.
DIGESTS = {"1": "cf936e7ffb3869bd"}


def test_prompts_of_a_version_never_change():
    digest = hashlib.sha256()
    for path in sorted(GOLDEN.glob("*.txt")):
        digest.update(path.name.encode() + path.read_bytes())
    assert digest.hexdigest()[:16] == DIGESTS[PROMPT_VERSION], "a new PROMPT_VERSION is due"


def test_templates_are_texts_that_end_in_a_line():
    files = sorted(TEMPLATES.iterdir())
    assert len(files) == 9
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert not re.search(r"[ \t]$|\t", text, flags=re.MULTILINE)


def test_docs_blocks_run(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    text = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="SAMPLE")
        for block in blocks:
            exec(block, names)
    kinds = [part["type"] for part in names["messages"][1]["content"]]
    assert kinds == ["text", *["text", "image_url"] * 8, "text"]
    assert names["prompts"].left_out == {"chat": 4}
    assert f"`Kolab prompt {PROMPT_VERSION}`" in text
