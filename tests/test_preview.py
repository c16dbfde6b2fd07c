from __future__ import annotations

import html.parser
import re
from urllib.parse import unquote

import pyarrow.parquet as pq
import pytest
from exports import copy_export, edit_rows, read_rows

from kolab_core.export import data_file
from kolab_core.export.viewer import pages
from kolab_core.export.viewer.folder import read_folder
from scripts.preview import main, render_page

FRAGMENT = re.compile(r"#t=(?P<start>\d+(?:\.\d+)?),(?P<end>\d+(?:\.\d+)?)")


class Page(html.parser.HTMLParser):
    """The parts of a page that the tests look at."""

    def __init__(self, text):
        super().__init__()
        self.sections: list[str] = []
        self.videos: dict[str, list[str]] = {}
        self.rows: dict[str, list[list[str]]] = {}
        self._cell: list[str] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "section":
            name = str(values["id"])
            self.sections.append(name)
            self.videos[name], self.rows[name] = [], []
        elif tag == "video":
            self.videos[self.sections[-1]].append(str(values["src"]))
            assert "controls" in values
        elif tag == "tr":
            self.rows[self.sections[-1]].append([])
        elif tag in ("td", "th"):
            self._cell = []

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self.rows[self.sections[-1]][-1].append("".join(self._cell))
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)


def test_page_has_a_section_and_the_rows_of_each_config(export, tmp_path):
    page = Page(render_page(read_folder(export), tmp_path / "page.html"))
    assert sorted(page.sections) == sorted(path.name for path in (export / "data").iterdir())
    for config, rows in page.rows.items():
        stored = read_rows(export, config)
        assert len(rows) == len(stored) + 1  # the head
        names = pq.read_schema(export / data_file(config)).names
        assert all(cell.startswith(name) for cell, name in zip(rows[0], names, strict=True))
        assert all(len(row) == len(names) for row in rows)
        assert [row[0] for row in rows[1:]] == [row[names[0]] for row in stored]
    assert page.rows["adoption_forecast"][1][page_index(export, "label")] == "0 adopt"
    assert page.rows["adoption_forecast"][-1][page_index(export, "video")].startswith("{")


def page_index(export, column):
    names: list[str] = pq.read_schema(export / data_file("adoption_forecast")).names
    return names.index(column)


@pytest.mark.parametrize("place", ["page.html", "pages of mine/deep/page.html"])
def test_each_video_is_there_and_plays_in_its_window(place, export, tmp_path):
    out = tmp_path / place
    assert main([str(export), "--out", str(out)]) == 0
    page = Page(out.read_text())
    for config, sources in page.videos.items():
        windows = [
            (row["session_id"], part["start"], part["end"])
            for row in (read_rows(export, config) if config != "surveys" else [])
            if row["has_video"]
            for part in row.get("video_intervals") or row["video"]["intervals"]
        ]
        assert len(sources) == len(windows)
        assert bool(sources) == (config != "surveys")
        for source, (session_id, start, end) in zip(sources, windows, strict=True):
            path, mark, fragment = source.partition("#")
            match = FRAGMENT.fullmatch(mark + fragment)
            assert match is not None
            assert (float(match["start"]), float(match["end"])) == (start, end)
            recording = export / "recordings" / f"{session_id}.mp4"
            assert (out.parent / unquote(path)).resolve().samefile(recording)


def test_page_shows_texts_as_text(export, tmp_path):
    root = copy_export(export, tmp_path / "kolab")
    text = "<script>alert(1)</script> & <b>"
    edit_rows(root, "surveys", lambda rows: rows[0].update(Q1=text))
    page = render_page(read_folder(root), tmp_path / "page.html")
    assert "<script>alert" not in page
    assert Page(page).rows["surveys"][1][1] == text


def test_page_cuts_what_the_viewer_cuts(export, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "FIRST_ROWS_BYTES", 4_500)
    page = Page(render_page(read_folder(export), tmp_path / "page.html"))
    graphs = [row[page_index(export, "graph")] for row in page.rows["adoption_forecast"][1:]]
    assert graphs[-1].endswith("…")
    assert len(graphs[-1].encode()) == 100 + len("…".encode())


def test_rows_limits_what_is_shown(export, tmp_path):
    out = tmp_path / "page.html"
    assert main([str(export), "--out", str(out), "--rows", "1"]) == 0
    assert {len(rows) for rows in Page(out.read_text()).rows.values()} == {2}


def test_a_folder_that_is_no_export_is_told(tmp_path, capsys):
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == "README.md: found no such file; expected a card with YAML.\n"
