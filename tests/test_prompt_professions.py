"""Occupations as phrases: the article, one and many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolab_core.prompts.professions import name_profession
from scripts.synthesis.trades import SECTORS, trades_of

CASES = [
    ("Architect", "an architect", "architects"),
    ("Accountant", "an accountant", "accountants"),
    ("Technical writer", "a technical writer", "technical writers"),
    ("Human resources specialist", "a human resources specialist", "human resources specialists"),
    # The sound decides, not the letter.
    ("University lecturer", "a university lecturer", "university lecturers"),
    ("European affairs officer", "a European affairs officer", "European affairs officers"),
    ("Urologist", "a urologist", "urologists"),
    ("Urban planner", "an urban planner", "urban planners"),
    ("Underwriter", "an underwriter", "underwriters"),
    ("Hourly worker", "an hourly worker", "hourly workers"),
    ("Once-removed heir", "a once-removed heir", "once-removed heirs"),
    # Letters that are spoken one by one.
    ("UX Designer", "a UX designer", "UX designers"),
    ("HR manager", "an HR manager", "HR managers"),
    ("MRI Technologist", "an MRI technologist", "MRI technologists"),
    ("X-ray technician", "an X-ray technician", "X-ray technicians"),
    ("CEO", "a CEO", "CEOs"),
    ("PhD Student", "a PhD student", "PhD students"),
    ("iOS Developer", "an iOS developer", "iOS developers"),
    ("3D artist", "a 3D artist", "3D artists"),
    ("SOFTWARE ENGINEER", "a software engineer", "software engineers"),
    ("English teacher", "an English teacher", "English teachers"),
    # As O*NET has them.
    ("Lawyers", "a lawyer", "lawyers"),
    ("Accountants and Auditors", "an accountant and auditor", "accountants and auditors"),
    (
        "Architects, Except Landscape and Naval",
        "an architect, except landscape and naval",
        "architects, except landscape and naval",
    ),
    (
        "Computer and Information Systems Managers",
        "a computer and information systems manager",
        "computer and information systems managers",
    ),
    (
        "Sales and Marketing Managers",
        "a sales and marketing manager",
        "sales and marketing managers",
    ),
    ("Registered Nurses", "a registered nurse", "registered nurses"),
    # Not only an s.
    ("Salesperson", "a salesperson", "salespeople"),
    ("Craftsmen", "a craftsman", "craftsmen"),
    ("Attorney", "an attorney", "attorneys"),
    ("Secretary", "a secretary", "secretaries"),
    ("Coach", "a coach", "coaches"),
    ("Boss", "a boss", "bosses"),
    ("Director of Sales", "a director of sales", "directors of sales"),
    ("Writer/Editor", "a writer/editor", "writers/editors"),
    ("Web designer and developer", "a web designer and developer", "web designers and developers"),
    # Fields.
    ("Marketing", "a professional in marketing", "professionals in marketing"),
    ("Public Relations", "a professional in public relations", "professionals in public relations"),
    ("IT", "a professional in IT", "professionals in IT"),
    # Nothing to go by.
    ("建築家", "建築家", "建築家"),
    (" ", "a professional", "professionals"),
    (None, "a professional", "professionals"),
]


@pytest.mark.parametrize(("occupation", "phrase", "plural"), CASES, ids=lambda case: str(case))
def test_name_profession_article_and_plural_are_right(occupation, phrase, plural):
    found = name_profession(occupation)
    assert (found.phrase, found.plural) == (phrase, plural)


def test_name_profession_of_a_plural_is_that_of_its_singular():
    trades = [trade for sector in SECTORS for trade in trades_of(sector)]
    assert len(trades) == 40
    for trade in trades:
        found = name_profession(trade.occupation)
        assert found.phrase.split(" ", 1)[0] in ("a", "an")
        assert name_profession(found.plural.capitalize()) == found


@given(st.text(max_size=30))
def test_name_profession_any_text_is_one_line(occupation):
    found = name_profession(occupation)
    assert found.phrase
    assert found.plural
    assert len(found.phrase.splitlines()) == len(found.plural.splitlines()) == 1
