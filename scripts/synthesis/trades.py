"""Forty occupations in ten O*NET sectors, with what each makes, from what, and by which rule.

A data table: the words that synthetic sessions of any number are told with.
"""

from __future__ import annotations

from dataclasses import dataclass

from scripts.synthesis.story import AppKind

__all__ = ["AI_TOOLS", "SECTORS", "TRADES", "Trade", "trades_of"]

AI_TOOLS = (
    "Claude",
    "ChatGPT",
    "Gemini",
    "Grok",
    "Copilot",
    "Perplexity",
    "NotebookLM",
    "Midjourney",
    "DeepL Write",
)


@dataclass(frozen=True)
class Trade:
    """An occupation: its sector, its programs (none of them an AI's), and its words."""

    occupation: str
    sector: str
    softwares: tuple[str, ...]
    product: str
    material: str
    rule: str
    app: AppKind


_ENGINEERING = "Architecture & Engineering"
_ARTS = "Arts, Design, Entertainment, Sports & Media"
_BUSINESS = "Business & Financial Operations"
_COMPUTER = "Computer & Mathematical"
_EDUCATION = "Educational Instruction & Library"
_HEALTH = "Healthcare Practitioners & Technical"
_LEGAL = "Legal"
_SCIENCE = "Life, Physical & Social Science"
_MANAGEMENT = "Management"
_OFFICE = "Office & Administrative Support"

SECTORS = (
    _ENGINEERING,
    _ARTS,
    _BUSINESS,
    _COMPUTER,
    _EDUCATION,
    _HEALTH,
    _LEGAL,
    _SCIENCE,
    _MANAGEMENT,
    _OFFICE,
)

# Two lines to a trade read best.
# fmt: off
_TABLE: tuple[tuple[str, str, str, str, str, str, AppKind], ...] = (
    ("Architect", _ENGINEERING, "Revit;Rhino;SketchUp",
     "floor plan", "client's brief", "the escape routes", "plan"),
    ("Civil engineer", _ENGINEERING, "AutoCAD;Civil 3D;Mathcad",
     "drainage plan", "survey", "the storm of ten years", "plan"),
    ("Mechanical engineer", _ENGINEERING, "SolidWorks;Ansys",
     "bracket", "load case", "the permitted stress", "plan"),
    ("Surveyor", _ENGINEERING, "QGIS;Trimble Access",
     "site map", "point cloud", "the tolerance of two centimetres", "plan"),
    ("Technical writer", _ARTS, "VS Code;Vale;MadCap Flare",
     "installation page", "old manual", "one action a step", "editor"),
    ("Graphic designer", _ARTS, "Illustrator;InDesign;Lightroom",
     "folded leaflet", "customer's notes", "the house colours", "plan"),
    ("Film editor", _ARTS, "DaVinci Resolve;Audacity",
     "trailer of a minute", "rushes", "the length agreed", "editor"),
    ("Game designer", _ARTS, "Unity;Miro;Blender",
     "level", "rules of the game", "the time a round may take", "plan"),
    ("Accountant", _BUSINESS, "DATEV;SAP",
     "reconciliation", "bank statement", "the closing date", "sheet"),
    ("Market analyst", _BUSINESS, "Tableau;SPSS;Google Trends",
     "survey report", "raw answers", "the sample's size", "sheet"),
    ("Buyer", _BUSINESS, "Ariba;Coupa",
     "comparison of offers", "three offers", "the delivery time", "sheet"),
    ("Human resources specialist", _BUSINESS, "Workday;Personio",
     "job posting", "list of duties", "fair wording", "editor"),
    ("Data scientist", _COMPUTER, "JupyterLab;Pandas",
     "churn model", "customer table", "the hold-out error", "editor"),
    ("Web developer", _COMPUTER, "Chrome;GitHub;Figma",
     "booking form", "mock-up", "keyboard use", "editor"),
    ("Database administrator", _COMPUTER, "PostgreSQL;DBeaver",
     "migration", "old schema", "no downtime", "editor"),
    ("Statistician", _COMPUTER, "RStudio;Stata",
     "power analysis", "pilot data", "the error of the first kind", "sheet"),
    ("Secondary school teacher", _EDUCATION, "Moodle;GeoGebra",
     "worksheet", "curriculum", "two levels of difficulty", "editor"),
    ("Librarian", _EDUCATION, "Koha;Zotero",
     "reading list", "catalogue", "one edition each", "sheet"),
    ("Instructional designer", _EDUCATION, "Articulate;Canva",
     "online course", "lecture notes", "ten minutes a unit", "plan"),
    ("Language teacher", _EDUCATION, "Anki;Kahoot",
     "vocabulary quiz", "text of the week", "words already known", "editor"),
    ("Dietitian", _HEALTH, "Nutritionist Pro;Google Sheets",
     "weekly menu", "food diary", "the salt allowed", "sheet"),
    ("Pharmacist", _HEALTH, "Lexicomp;Epic",
     "interaction check", "list of medicines", "the guideline", "sheet"),
    ("Physiotherapist", _HEALTH, "Physitrack;PowerPoint",
     "exercise plan", "findings", "pain as the limit", "editor"),
    ("Medical coder", _HEALTH, "3M Encoder;Access",
     "coding of a stay", "discharge letter", "the coding rules", "sheet"),
    ("Attorney", _LEGAL, "Westlaw;Clio",
     "lease clause", "draft of the other side", "the tenant's rights", "editor"),
    ("Paralegal", _LEGAL, "Relativity;Adobe Acrobat",
     "chronology", "bundle of letters", "a source for each date", "sheet"),
    ("Compliance officer", _LEGAL, "OneTrust;SharePoint",
     "record of processing", "questionnaire", "the period of storage", "sheet"),
    ("Patent examiner", _LEGAL, "Espacenet;Patbase",
     "search report", "claims", "the priority date", "editor"),
    ("Chemist", _SCIENCE, "ChemDraw;Origin",
     "titration report", "readings", "the detection limit", "sheet"),
    ("Ecologist", _SCIENCE, "ArcGIS;MaxEnt",
     "habitat map", "sightings", "the breeding season", "plan"),
    ("Economist", _SCIENCE, "EViews;LaTeX",
     "price index", "monthly prices", "the base year", "sheet"),
    ("Psychologist", _SCIENCE, "PsychoPy;JASP",
     "reaction time study", "log files", "the exclusion rule", "sheet"),
    ("Project manager", _MANAGEMENT, "Microsoft Project;Jira",
     "schedule", "list of tasks", "the fixed hand-over", "sheet"),
    ("Event planner", _MANAGEMENT, "Airtable;Trello",
     "running order", "wishes of the hosts", "the fire regulations", "sheet"),
    ("Restaurant manager", _MANAGEMENT, "Toast;7shifts",
     "staff rota", "holiday requests", "eleven hours of rest", "sheet"),
    ("Product manager", _MANAGEMENT, "Notion;Amplitude;Confluence",
     "road map", "feedback of users", "two teams' capacity", "editor"),
    ("Executive assistant", _OFFICE, "Outlook;Teams",
     "travel plan", "list of meetings", "the travel policy", "sheet"),
    ("Customer service agent", _OFFICE, "Zendesk;Salesforce;Slack",
     "answer template", "ten complaints", "the tone of the house", "editor"),
    ("Payroll clerk", _OFFICE, "ADP;Excel",
     "payroll run", "time sheets", "the minimum wage", "sheet"),
    ("Logistics clerk", _OFFICE, "Oracle TMS;Google Maps;Word",
     "delivery tour", "orders", "the driving time", "plan"),
)
# fmt: on

TRADES = tuple(
    Trade(occupation, sector, tuple(softwares.split(";")), product, material, rule, app)
    for occupation, sector, softwares, product, material, rule, app in _TABLE
)


def trades_of(sector: str) -> list[Trade]:
    """The four occupations of a sector."""
    return [trade for trade in TRADES if trade.sector == sector]
