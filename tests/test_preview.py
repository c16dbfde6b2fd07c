import html.parser
import json
import re
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from exports import copy_export, edit_rows, read_rows

from kolab_core.export import data_file
from kolab_core.export.viewer.folder import read_folder
from scripts import first_page
from scripts.first_page import ShownRow, cut_first_rows, read_first_rows, rows_room
from scripts.preview import main, render_page

FRAGMENT = re.compile(r"#t=(?P<start>\d+(?:\.\d+)?),(?P<end>\d+(?:\.\d+)?)")


class Page(html.parser.HTMLParser):
    """The parts of a page that the tests look at."""

    def __init__(self, text):
        super().__init__()
        self.sections = []
        self.videos = {}
        self.rows = {}
        self._cell = None
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
    names = pq.read_schema(export / data_file("adoption_forecast")).names
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
    monkeypatch.setattr(first_page, "FIRST_ROWS_BYTES", 4_500)
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


def json_size(value):
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def as_answer(shown):
    """The list of rows as the viewer's answer holds it."""
    return [
        {"row_idx": index, "row": dict(row.cells), "truncated_cells": list(row.cut)}
        for index, row in enumerate(shown)
    ]


@pytest.fixture
def long_rows():
    return [{"id": f"r{i}", "text": "é" * 50 * (i + 1), "n": i} for i in range(30)]


def test_cut_first_rows_with_room_keeps_all(long_rows):
    shown = cut_first_rows(long_rows, 200_000)
    assert [dict(row.cells) for row in shown] == long_rows
    assert not any(row.cut for row in shown)


def test_cut_first_rows_leaves_out_rows_before_it_cuts(long_rows):
    room = json_size(as_answer([ShownRow(row) for row in long_rows[:14]])) + 2
    shown = cut_first_rows(long_rows, room)
    assert len(shown) == 14
    assert not any(row.cut for row in shown)


def test_cut_first_rows_cuts_the_last_rows_first(long_rows):
    whole = [ShownRow(row) for row in long_rows[:10]]
    shown = cut_first_rows(long_rows, json_size(as_answer(whole)) - 1_000)
    assert len(shown) == 10
    # The last row's text of 1,000 bytes is cut to 100, which is not enough; so the row before it.
    assert [row.cut for row in shown] == [()] * 8 + [("text",)] * 2
    # 100 bytes of JSON text: a quotation mark and 49 letters of two bytes, the 50th cut in half.
    assert shown[-1].cells["text"] == '"' + "é" * 49
    assert shown[-1].cells["id"] == "r9"


def test_cut_first_rows_without_room_cuts_every_long_cell(long_rows):
    shown = cut_first_rows(long_rows, 10)
    assert len(shown) == 10
    # The first row's text has 102 bytes of JSON.
    assert all(row.cut == ("text",) for row in shown)


def test_cut_first_rows_of_no_rows_is_empty():
    assert cut_first_rows([], 10) == []


def test_first_page_of_every_config_has_room_once_its_cells_are_cut(export):
    for path in export.glob("data/*/*.parquet"):
        rows = [dict.fromkeys(pq.read_schema(path).names, '"' * 200)] * 10
        shown = cut_first_rows(rows, 0)
        assert json_size(as_answer(shown)) < rows_room(path)


def test_rows_room_is_what_the_columns_leave(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"n": [1]}), path)
    kind = {"dtype": "int64", "_type": "Value"}
    assert rows_room(path) == 200_000 - json_size([{"feature_idx": 0, "name": "n", "type": kind}])


def test_read_first_rows_stops_at_a_page(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"n": list(range(250))}), path, row_group_size=30)
    assert [row["n"] for row in read_first_rows(path)] == list(range(100))
    assert len(read_first_rows(path, 7)) == 7
