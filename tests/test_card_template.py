"""The card's template and the parts of its YAML that need no export."""

import re
from pathlib import Path

import pytest
from huggingface_hub import DatasetCard

from kolab_core.export import ExportError
from kolab_core.export.card import (
    EXPORT_KEY,
    TEMPLATE_NAME,
    list_blanks,
    read_sections,
    read_target,
    split_front_matter,
)
from kolab_core.export.card.metadata import describe_license, size_category
from kolab_core.export.card.template import fill_front_matter, fill_text

TEMPLATE = Path(__file__).parents[1] / TEMPLATE_NAME
TASKS = ["video-text-to-text", "video-classification", "text-classification"]


@pytest.mark.parametrize("stated", [None, {}, {"repo_id": "me/kolab"}, {"repo_id": "kolab"}])
def test_read_target_without_one_says_what_is_expected(stated):
    with pytest.raises(ExportError, match=f"{EXPORT_KEY}: .*expected .*export_hub"):
        read_target({EXPORT_KEY: stated})


@pytest.mark.parametrize(
    ("stated", "fields"),
    [
        ("cc-by-4.0", {"license": "cc-by-4.0"}),
        ("CC-BY-NC-4.0", {"license": "cc-by-nc-4.0"}),
        ("Kolab Terms, v1!", {"license": "other", "license_name": "kolab-terms-v1"}),
        (None, {"license": "other"}),
        ("  ", {"license": "other"}),
    ],
)
def test_license_is_the_releases_or_a_blank(stated, fields):
    licence = describe_license(stated)
    assert licence.fields == fields
    blanks = list_blanks("\n".join([*licence.comments, licence.text]))
    assert bool(blanks) == (fields["license"] == "other")


@pytest.mark.parametrize(
    ("num_rows", "name"),
    [
        (0, "n<1K"),
        (999, "n<1K"),
        (1_000, "1K<n<10K"),
        (9_999, "1K<n<10K"),
        (999_999_999, "100M<n<1B"),
        (1_000_000_000, "1B<n<10B"),
    ],
)
def test_size_category_is_the_hubs(num_rows, name):
    assert size_category(num_rows) == name


def test_template_reads_as_a_card_with_marks_and_blanks():
    text = TEMPLATE.read_text(encoding="utf-8")
    data = DatasetCard(text, ignore_metadata_errors=False).data
    assert data.task_categories == TASKS
    assert data["configs"] == "{{ configs }}"
    assert list_blanks(text)
    assert text.count("{{ ") == len(re.findall(r"\{\{ [a-z_]+ \}\}", text))


def test_fill_text_leaves_no_gap_where_a_value_is_empty():
    assert fill_text("a\n\n{{ b }}\n\nc", {"b": ""}) == "a\n\nc"


@pytest.mark.parametrize("values", [{}, {"b": "1", "c": "2"}])
def test_fill_text_unknown_or_unused_name_is_refused(values):
    with pytest.raises(ExportError, match="the text"):
        fill_text("{{ b }}", values)


def test_fill_front_matter_replaces_whole_values_in_order():
    filled = fill_front_matter({"a": "{{ x }}", "b": "as {{ it }} is"}, {"x": [1]})
    assert list(filled.items()) == [("a", [1]), ("b", "as {{ it }} is")]


@pytest.mark.parametrize("text", ["# Card", "---\na: [\n---\n", "---\na: 1\n"])
def test_template_without_readable_yaml_is_refused(tmp_path, text):
    with pytest.raises(ExportError, match="expected"):
        split_front_matter(text)


def test_sections_are_not_taken_from_code():
    assert read_sections("## A\nx\n```sh\n## not one\n```\n### B\ny") == {
        "A": "x\n```sh\n## not one\n```",
        "B": "y",
    }
