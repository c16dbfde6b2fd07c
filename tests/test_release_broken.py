"""What is said of each broken release; `scripts/update_golden.py` writes the expectations again."""

import pytest
from broken import EXPECTED, lay_over, list_cases, render_case
from releases import load_all_rows

from kolab_core.release import ReleaseError

CASES = list_cases()
NUM_CASES = 91


def test_broken_cases_are_all_there():
    assert len(CASES) == NUM_CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_check_release_broken_case_says_what_is_expected(case, tmp_path):
    assert render_case(case, tmp_path) == (case / EXPECTED).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_loading_fails_exactly_where_the_check_has_errors(case, tmp_path):
    root = lay_over(case, tmp_path)
    lines = (case / EXPECTED).read_text(encoding="utf-8").splitlines()
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    if not errors:
        load_all_rows(root)
        return
    with pytest.raises(ReleaseError) as caught:
        load_all_rows(root)
    found = [str(issue).replace(str(root), "<release>") for issue in caught.value.issues]
    assert found
    assert set(found) <= set(errors)
    assert not any(issue.is_note for issue in caught.value.issues)
