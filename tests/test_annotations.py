"""A session's graph to ELAN and back: nothing lost, whatever an annotator's tool does to order."""

import dataclasses
import itertools
import json
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pympi import Elan
from random_releases import make_release
from releases import GRAPH, SESSION, WORKFLOW, make_node, make_segment, read_json, write_files
from tiny_release import write_release

from kolab_core.annotations import export_session, import_annotations
from kolab_core.annotations.elan import read_elan, write_elan
from kolab_core.annotations.exporting import make_marks
from kolab_core.annotations.importing import merge_marks
from kolab_core.annotations.marks import Mark, ResponseMark, actor_of, escape, show_actor, unescape
from kolab_core.commands.cli import main
from kolab_core.release import ReleaseError, open_release, read_graph_text, read_session

SEEDS = st.integers(0, 2**32)
TEXTS = st.text(max_size=8)


def reorder(path, random):
    """Write the file as a tool might: annotations in another order, ids of its own."""
    tree = ET.parse(path)
    root = tree.getroot()
    ids = {
        a.get("ANNOTATION_ID"): f"a{i + 7}" for i, a in enumerate(root.iterfind(".//ANNOTATION/*"))
    }
    for annotation in root.iterfind(".//ANNOTATION/*"):
        for key in ("ANNOTATION_ID", "ANNOTATION_REF", "PREVIOUS_ANNOTATION"):
            if annotation.get(key):
                annotation.set(key, ids[annotation.get(key)])
    for tier in root.iterfind("TIER"):
        tier[:] = random.sample(tier[:], len(tier))
    tree.write(path, xml_declaration=True, encoding="UTF-8")


def parts_of(session):
    """A session's graph, without the order of nodes and edges."""
    return (
        session.segments,
        {node.id: node for node in session.nodes},
        Counter(session.edges),
        {(response.node.id, response.index): response for response in session.responses},
    )


def graph_of(session):
    return session.segments, session.nodes, session.edges, session.responses


@settings(deadline=None, max_examples=60)
@given(SEEDS)
def test_import_of_an_export_random_releases_is_the_identity(seed):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        release = open_release(write_files(root / "release", make_release(seed)))
        session = export_session(release, SESSION, root / "x.eaf")
        reorder(root / "x.eaf", Random(seed))
        done = import_annotations(release, root / "x.eaf", root / "x.json")
        text = (root / "x.json").read_text(encoding="utf-8")
        assert text == read_graph_text(release, SESSION)
        assert graph_of(read_session(release, SESSION, graph=text)) == graph_of(session)
        assert (done.changes, done.notes) == ((), ())


@settings(deadline=None, max_examples=60)
@given(SEEDS, SEEDS, st.lists(TEXTS, min_size=1, max_size=6))
def test_merge_into_another_graph_gives_all_that_was_exported(seed, other_seed, texts):
    """Everything travels in the file: onto an unrelated graph the same records come out."""
    files, other = make_release(seed), make_release(other_seed)
    random = Random(seed)
    for segment in files[GRAPH]["steps"]:
        segment["step_name"] = random.choice(texts)
        segment["step_action"] = random.choice([None, *texts])
        for node in segment["nodes"]:
            node["label"] = random.choice(texts)
            node["detail"] = random.choice([None, *texts])
            node["softwares"] = random.choice([None, *texts])
            if node["actor_type"] == "ai":
                node["actor"] = random.choice(["claude", "user", *texts])
    for segment in other[GRAPH]["steps"]:
        segment["badge"] = random.choice(["Step-1", "Custom-1"])
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        exported = open_release(write_files(root / "exported", files))
        session = export_session(exported, SESSION, root / "x.eaf")
        files = {**files, GRAPH: other[GRAPH]}
        release = open_release(write_files(root / "release", files))
        old, text = read_session(release, SESSION), read_graph_text(release, SESSION)
        marks = read_elan(root / "x.eaf").marks
        merged = merge_marks(release, old, marks, text=text, file="x.eaf")
        assert parts_of(read_session(release, SESSION, graph=merged)) == parts_of(session)


@settings(deadline=None, max_examples=30)
@given(SEEDS)
def test_exported_file_keeps_to_what_elan_saves_unharmed(seed):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        release = open_release(write_files(root / "release", make_release(seed)))
        export_session(release, SESSION, root / "x.eaf")
        head = ET.parse(root / "x.eaf").getroot()
        assert head.get("FORMAT") == head.get("VERSION") == "3.0"
        times = [int(slot.get("TIME_VALUE")) for slot in head.iterfind("TIME_ORDER/TIME_SLOT")]
        assert times == sorted(times)
        eaf = Elan.Eaf(str(root / "x.eaf"))
        assert all(time >= 0 for time in times)
        for aligned, referring, attributes, _ in eaf.tiers.values():
            spans = sorted((eaf.timeslots[a], eaf.timeslots[b]) for a, b, _, _ in aligned.values())
            assert all(start < end for start, end in spans)
            assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
            parents = {eaf.annotations[parent] for parent, _, _, _ in referring.values()}
            assert parents <= {attributes.get("PARENT_REF")}
            assert attributes["LINGUISTIC_TYPE_REF"] in eaf.linguistic_types


@given(TEXTS)
def test_unescape_gives_what_escape_was_given_and_xml_keeps_it(text):
    escaped = escape(text, also="\n")
    assert unescape(escaped) == text
    assert "\n" not in escaped
    element = ET.Element("a")
    element.text = escape(text)
    assert unescape(ET.fromstring(ET.tostring(element)).text or "") == text


@given(st.sampled_from(["user", "claude", "x (ai)", ""]) | TEXTS, st.sampled_from(["user", "ai"]))
def test_actor_of_gives_what_show_actor_was_given(actor, actor_type):
    assert actor_of(show_actor(actor, actor_type)) == (actor, actor_type)


class Editor:
    """The tiny release's second session (two labels on n3), mended as marks and imported."""

    def __init__(self, folder):
        self.folder = folder
        self.release = open_release(write_release(folder / "release"))
        self.session_id = "P01_S2"
        self.path = folder / "x.eaf"
        export_session(self.release, self.session_id, self.path)
        self.marks = read_elan(self.path).marks
        self.head = read_elan(self.path).head

    def mark_of(self, place):
        return next(
            mark
            for mark in [*self.marks.segments, *self.marks.occurrences]
            if mark.texts.get("id") == place
        )

    def change(self, place, **fields):
        """Change a mark; `texts` are laid over the old ones, and one that is None goes."""
        mark = self.mark_of(place)
        texts = {**mark.texts, **fields.pop("texts", {})}
        texts = {kind: text for kind, text in texts.items() if text is not None}
        lanes = self.marks.segments if mark in self.marks.segments else self.marks.occurrences
        lanes[lanes.index(mark)] = dataclasses.replace(mark, texts=texts, **fields)

    def delete(self, place):
        mark = self.mark_of(place)
        lanes = self.marks.segments if mark in self.marks.segments else self.marks.occurrences
        lanes.remove(mark)

    def add(self, start, end, value="", actor="user", responses=(), **texts):
        mark = Mark(actor, actor, start, end, value, texts, responses)
        self.marks.occurrences.append(mark)

    def load(self):
        """The import's result and the new session."""
        path = self.folder / "edited.eaf"
        write_elan(path, self.marks, head=self.head, badges=["Step-1", "Step-2"])
        done = import_annotations(self.release, path, self.folder / "new.json")
        text = done.path.read_text(encoding="utf-8")
        return done, read_session(self.release, self.session_id, graph=text)

    def refuse(self):
        """The issues of an import that makes no file."""
        with pytest.raises(ReleaseError) as caught:
            self.load()
        assert not (self.folder / "new.json").exists()
        return str(caught.value)


@pytest.fixture
def editor(tmp_path):
    return Editor(tmp_path)


def changed(done):
    return [(c.what, c.name, c.part, c.before, c.after) for c in done.changes]


def test_import_moved_ai_output_takes_its_responses_along(editor):
    editor.change("seg1/n2 #1", start=31_250, end=39_000)
    done, session = editor.load()
    was, now = "00:00:30-00:00:40", "00:00:31.250-00:00:39"
    assert changed(done) == [("node", "seg1/n2", "time", was, now)]
    assert [r.target.span.start for r in session.responses] == [31_250, 31_250]
    text = done.path.read_text()
    assert text.count(now) == 3  # the node's time, and two entries that quote it


def test_import_leaves_the_release_alone_and_keeps_what_no_record_holds(editor):
    graph = editor.folder / "release" / "sessions" / editor.session_id / "graph.json"
    before = graph.read_bytes()
    editor.change("seg1/n1 #1", value="asks again")
    done, _ = editor.load()
    assert graph.read_bytes() == before
    raw = json.loads(before)
    raw["steps"][1]["nodes"][0]["label"] = "asks again"
    assert read_json(done.path) == raw


@pytest.mark.parametrize(
    ("place", "fields", "expected"),
    [
        ("seg1/n1 #1", {"value": "asks"}, ("node", "seg1/n1", "label", "label n1", "asks")),
        (
            "seg1/n1 #1",
            {"texts": {"detail": None}},
            ("node", "seg1/n1", "detail", "detail n1", ""),
        ),
        (
            "seg1/n2 #1",
            {"texts": {"actor": "gemini"}},
            ("node", "seg1/n2", "actor", "claude (ai)", "gemini (ai)"),
        ),
        (
            "seg0 #1",
            {"texts": {"badge": "Step-2"}},
            ("segment", "seg0", "badge", "Step-1", "Step-2"),
        ),
        (
            "seg0 #1",
            {"end": 19_000},
            ("segment", "seg0", "time", "00:00:00-00:00:20", "00:00:00-00:00:19"),
        ),
    ],
    ids=["label", "detail removed", "actor", "badge", "segment's end"],
)
def test_import_one_change_is_the_one_printed(editor, place, fields, expected):
    editor.change(place, **fields)
    done, _ = editor.load()
    assert changed(done) == [expected]


def test_import_segment_that_moves_takes_its_time_range_along(editor):
    editor.change("seg0 #1", end=19_500)
    done, _ = editor.load()
    segment = read_json(done.path)["steps"][0]
    assert segment["end_seconds"] == 19.5
    assert segment["time_range"] == "00:00:00-00:00:19.500"


def test_import_new_marks_are_a_node_and_an_occurrence(editor):
    editor.add(12_000, 15_000, "tidies up")
    editor.add(16_000, 18_000, id="seg0/n0")
    done, session = editor.load()
    nodes = {node.id: node for node in session.nodes}
    assert nodes["seg0/n1"].label == "tidies up"
    assert nodes["seg0/n1"].actor_type == "user"
    assert [span.start for span in nodes["seg0/n0"].occurrences] == [0, 16_000]
    assert nodes["seg0/n0"].detail == "detail n0"
    assert [change.name for change in done.changes] == ["seg0/n0", "seg0/n1"]


def test_import_new_mark_outside_all_segments_is_refused(editor):
    editor.add(70_000, 80_000, "later")
    expected = "found no id, outside all segments; expected the id of a segment's node"
    assert f"edited.eaf: tier 'user' at 70.000 s: {expected}" in editor.refuse()


def test_import_new_response_comes_last_and_a_relabelled_one_stays(editor):
    old = editor.mark_of("seg1/n3 #1").responses
    first = ResponseMark("reject", old[0].texts)
    new = ResponseMark("modify", {"output": "n2"})
    editor.change("seg1/n3 #1", responses=(new, first, old[1]))
    done, session = editor.load()
    assert [response.label for response in session.responses] == ["reject", "adopt", "modify"]
    assert session.responses[2].source is None
    assert changed(done)[0] == ("response", "seg1/n3/0", "label", "adopt", "reject")
    assert len(done.changes) == 2


def test_import_deleted_node_takes_edges_to_it_along_but_no_response(editor):
    editor.delete("seg1/n1 #1")
    message = editor.refuse()
    assert "found for request 'seg1/n1 #1', no node; expected the id of a node" in message
    old = editor.mark_of("seg1/n3 #1").responses
    kept = tuple(ResponseMark(r.label, {**r.texts, "request": ""}) for r in old)
    editor.change("seg1/n3 #1", responses=kept)
    (editor.folder / "edited.eaf").unlink()
    done, session = editor.load()
    assert [edge.source for edge in session.edges] == ["seg1/n2"]
    assert ("edge", "seg1/n1 → seg1/n2", "", "sequential", "") in changed(done)


def test_import_edges_are_read_from_the_lines_of_next(editor):
    editor.change("seg1/n3 #1", texts={"next": "loop n1\n\nseg0/n0"})
    done, session = editor.load()
    edges = {(edge.source, edge.target, edge.type) for edge in session.edges}
    assert ("seg1/n3", "seg1/n1", "loop") in edges
    assert ("seg1/n3", "seg0/n0", "sequential") in edges
    assert len(done.changes) == 2


def test_import_edge_to_a_node_that_never_was_is_refused(editor):
    editor.change("seg1/n3 #1", texts={"next": "loop n9"})
    assert "found a next node 'n9'; expected the type of an edge" in editor.refuse()


def test_import_response_that_starts_before_its_output_is_refused_by_the_release(editor):
    editor.change("seg1/n3 #1", start=25_000)
    message = editor.refuse()
    assert "P01_S2/graph.json: steps[1] seg1 > nodes[2] n3 > user_response[0][5]" in message
    assert "before its AI output" in message


def test_import_number_decides_the_order_of_segments(editor):
    editor.change("seg0 #1", texts={"id": "seg0 #9"})
    done, session = editor.load()
    assert [segment.key for segment in session.segments] == ["seg1", "seg0"]
    assert changed(done) == [("segment", "", "order", "seg0, seg1", "seg1, seg0")]


def test_import_of_unlike_marks_of_a_node_takes_the_changed_one_or_asks(tmp_path):
    node = make_node("u1", (1, 2), (3, 4), (5, 6))
    files = make_release(0)
    files[GRAPH]["steps"] = [make_segment("s0", "Step-1", 0, 9, [node])]
    release = open_release(write_files(tmp_path / "release", files))
    session = read_session(release, SESSION)
    text = read_graph_text(release, SESSION)
    marks = make_marks(session)
    marks.occurrences[1] = dataclasses.replace(marks.occurrences[1], value="new")
    merged = merge_marks(release, session, marks, text=text, file="x.eaf")
    assert read_session(release, SESSION, graph=merged).nodes[0].label == "new"
    marks.occurrences[2] = dataclasses.replace(marks.occurrences[2], value="newer")
    with pytest.raises(ReleaseError, match="for label of s0/u1 'new' and 'newer'; expected one"):
        merge_marks(release, session, marks, text=text, file="x.eaf")


def test_import_instant_stays_one_until_it_is_drawn_out(tmp_path):
    files = make_release(0)
    nodes = [make_node("u1", (1, 1)), make_node("u2", (2, 2))]
    files[GRAPH]["steps"] = [make_segment("s0", "Step-1", 0, 9, nodes)]
    release = open_release(write_files(tmp_path / "release", files))
    session = read_session(release, SESSION)
    marks = make_marks(session)
    marks.occurrences[1] = dataclasses.replace(marks.occurrences[1], end=2500)
    text = read_graph_text(release, SESSION)
    merged = merge_marks(release, session, marks, text=text, file="x.eaf")
    nodes = read_session(release, SESSION, graph=merged).nodes
    assert [(n.occurrences[0].start, n.occurrences[0].end) for n in nodes] == [
        (1000, 1000),
        (2000, 2500),
    ]


def test_import_notes_a_tier_of_the_annotators_own(editor):
    eaf = Elan.Eaf(str(editor.path))
    eaf.add_linguistic_type("remark")
    eaf.add_tier("remarks", "remark")
    eaf.add_annotation("remarks", 0, 1000, "unsure here")
    path = editor.folder / "own.eaf"
    eaf.to_file(path)
    done = import_annotations(editor.release, path, editor.folder / "new.json")
    assert done.changes == ()
    expected = "own.eaf: tier 'remarks': found the type 'remark'; expected a type of an export"
    assert [str(note) for note in done.notes] == [f"{expected} (it is left out)."]


def refuse_file(editor, content):
    path = editor.folder / "bad.eaf"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ReleaseError) as caught:
        import_annotations(editor.release, path, editor.folder / "new.json")
    assert not (editor.folder / "new.json").exists()
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, "no", "bad.eaf: found no XML"),
        (None, "<TextGrid/>", "bad.eaf: found a TextGrid document; expected an ELAN file"),
        ('FORMAT="3.0"', 'FORMAT="2.8"', "bad.eaf: FORMAT: found '2.8'; expected '3.0'. Save it"),
        ('NAME="kolab graph"', 'NAME="x"', "property 'kolab graph': found none; expected one"),
        (">P01_S2<", ">P07_S1<", "session: found 'P07_S1'; expected a session of the release"),
        (">P01_S2<", ">P01_S1<", "found another graph.json than the one that was exported"),
        ('TIME_VALUE="60000"', 'TIME_VALUE="-5"', "from 20000 to -5 ms; expected a start from 0"),
        ('TIME_VALUE="60000"', "", "from 20000 to None ms; expected a start from 0"),
        ('TIME_SLOT_ID="ts2"', "", "found an incomplete document (KeyError: 'TIME_SLOT_ID')"),
        (">adopt<", ">adopted<", "found the response 'adopted'; expected 'adopt', 'modify' or"),
        (">seg1/n2 #1<", ">seg7/n2 #1<", "found the id 'seg7/n2'; expected the id of a segment's"),
        (">seg1 #2<", ">seg0 #2<", "tier 'segments' at 20.000 s: found the id 'seg0'; expected"),
        (">Step-2<", "> <", "tier 'segments' at 20.000 s: found no badge; expected 'Step-k'"),
        (">Step-2<", ">Step-5<", "steps[1] seg1 > badge: found 'Step-5'; expected a step of the"),
        (">sequential seg1/n3<", ">seg1/n3/n<", "found a next node 'seg1/n3/n'; expected"),
    ],
)
def test_import_bad_file_says_what_is_wrong_and_writes_nothing(editor, old, new, expected):
    content = editor.path.read_text(encoding="utf-8")
    assert old is None or old in content
    assert expected in refuse_file(editor, new if old is None else content.replace(old, new))


def test_export_and_import_never_write_over_a_file(editor):
    for path in (editor.path, editor.folder / "new.json"):
        path.write_bytes(path.read_bytes() if path.exists() else b"mine")
    with pytest.raises(FileExistsError, match="found a file; expected a new name"):
        export_session(editor.release, editor.session_id, editor.path)
    with pytest.raises(FileExistsError, match="found a file; expected a new name"):
        import_annotations(editor.release, editor.path, editor.folder / "new.json")
    assert (editor.folder / "new.json").read_bytes() == b"mine"
    names = {path.name for path in editor.folder.iterdir()}
    assert names == {"release", "x.eaf", "new.json"}


def test_import_edge_that_no_segment_could_hold_is_refused(tmp_path):
    files = make_release(0)
    files[WORKFLOW]["steps"] = files[WORKFLOW]["steps"][:1]
    files[WORKFLOW]["steps"][0]["number"] = 1
    segments = [
        make_segment(f"s{i}", "Step-1", 9 * i, 9 * i + 9, [make_node("u1", (9 * i, 9 * i + 1))])
        for i in range(2)
    ]
    files[GRAPH]["steps"] = segments
    release = open_release(write_files(tmp_path / "release", files))
    session = read_session(release, SESSION)
    marks = make_marks(session)
    texts = {**marks.occurrences[0].texts, "next": "loop s1/u1"}
    marks.occurrences[0] = dataclasses.replace(marks.occurrences[0], texts=texts)
    text = read_graph_text(release, SESSION)
    with pytest.raises(ReleaseError, match="found an edge from s0/u1 to s1/u1; expected ends in"):
        merge_marks(release, session, marks, text=text, file="x.eaf")


def test_export_links_the_recording_relative_to_the_file(tmp_path):
    export_session(open_release("sample"), "P01_S1", tmp_path / "x.eaf")
    head = ET.parse(tmp_path / "x.eaf").getroot().find("HEADER/MEDIA_DESCRIPTOR")
    assert head.get("MIME_TYPE") == "video/mp4"
    link = head.get("RELATIVE_MEDIA_URL")
    assert (tmp_path / link).resolve() == Path("sample/sessions/P01_S1/recording.mp4").resolve()


def test_annotations_command_exports_and_imports_beside(capsys, tmp_path):
    eaf = tmp_path / "x.eaf"
    assert main(["annotations", "export", "P01_S1", "--out", str(eaf)]) == 0
    assert capsys.readouterr().out == f"{eaf}: 6 segments, 21 nodes, 8 responses.\n"
    content = eaf.read_text(encoding="utf-8")
    eaf.write_text(content.replace('"5900"', '"5800"').replace('"6500"', '"6400"'))
    assert main(["annotations", "import", str(eaf)]) == 0
    out = capsys.readouterr().out
    assert "node  seg0a/n2  time  00:00:06.500-00:00:11.850  00:00:06.400-00:00:11.850" in out
    new = tmp_path / "x.graph.json"
    assert out.endswith(f"{new}: 1 changes to P01_S1, 0 notes: valid.\n")
    assert main(["annotations", "import", str(eaf)]) == 2
    assert capsys.readouterr().err == f"{new}: found a file; expected a new name.\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["export", "P09_S1", "--out", "x.eaf"], "SESSION: found 'P09_S1'; expected one of the"),
        (["import", "nowhere.eaf"], "nowhere.eaf: neither read nor written (No such file"),
    ],
)
def test_annotations_command_off_call_exits_2(capsys, tmp_path, monkeypatch, words, expected):
    root = Path.cwd() / "sample"
    monkeypatch.chdir(tmp_path)
    assert main(["annotations", *words, "--data-dir", str(root)]) == 2
    assert expected in capsys.readouterr().err
