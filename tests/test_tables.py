import csv
import io

import pytest

from kolab_core.reports.tables import format_cell, render_table


def test_render_table_text_aligns_numbers_right():
    text = render_table(["name", "n"], [["adopt", 12], ["reject", 3]])
    assert text.splitlines() == ["name     n", "------  --", "adopt   12", "reject   3"]


def test_render_table_markdown_escapes_pipes():
    assert render_table(["a"], [["x|y"]], style="md").splitlines()[-1] == r"| x\|y |"


def test_render_table_latex_escapes_and_rules():
    text = render_table(["macro_f1"], [["50 % ± 1"], ["p < .05, 692 × 3"]], style="latex")
    assert r"macro\_f1" in text
    assert r"50 \% $\pm$ 1 \\" in text
    # The font that LaTeX takes by default prints an upside-down exclamation mark for a bare "<".
    assert r"p \textless{} .05, 692 $\times$ 3 \\" in text
    assert text.startswith(r"\begin{tabular}{l}")


def test_render_table_csv_is_exact_and_runs_no_formula():
    rows = [["=1+1", 1 / 3, None], ['say "x", y', -2, True], ["+49", float("nan"), "a\nb"]]
    text = render_table(["name", "x", "y"], rows, style="csv")
    read = list(csv.reader(io.StringIO(text)))
    assert read[1] == ["'=1+1", repr(1 / 3), ""]
    assert read[2] == ['say "x", y', "-2", "yes"]
    assert read[3] == ["'+49", "nan", "a\nb"]


def test_render_table_without_rows_keeps_heads():
    assert render_table(["a", "bc"], []) == "a  bc\n-  --"


def test_render_table_ragged_row_says_which():
    with pytest.raises(ValueError, match=r"rows\[1\]: found 1 cells; expected 2"):
        render_table(["a", "b"], [[1, 2], [1]])


def test_render_table_unknown_style_names_the_choices():
    with pytest.raises(ValueError, match="'table', 'md', 'latex' or 'csv'"):
        render_table(["a"], [], style="html")


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (True, "yes"), (1.23456, "1.235"), (float("nan"), "nan"), (7, "7"), ("x", "x")],
)
def test_format_cell(value, text):
    assert format_cell(value) == text
