import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import GRAPH, load_base, make_files, make_node, read_files, segment_with, span

from kolab_core.release.times import Number, Span, parse_seconds, parse_span, to_seconds
from kolab_core.rows.experiments import build_rows


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("0.0", 0),
        ("312.4", 312_400),
        ("0.0014", 1),
        ("0.0016", 2),
        ("0.0005", 0),  # a tie goes to the even one
        ("0.0015", 2),
        (
            "0.00050000000000000000000000000000000000001",
            1,
        ),  # no tie, though a float takes it for one
        ("12001.0004999999999999999999999999999999999", 12_001_000),
        ("1e2", 100_000),
        ("1E-3", 1),
        ("25e-4", 2),
        ("-0.0", 0),
        ("1e-9999999", 0),
        ("999999999.9999", 10**12),
    ],
)
def test_parse_seconds_takes_the_nearest_millisecond_of_the_text(text, milliseconds):
    assert parse_seconds(Number(text)) == milliseconds


def test_parse_seconds_of_a_whole_number_is_exact():
    assert parse_seconds(0) == 0
    assert parse_seconds(10**9) == 10**12
    assert parse_seconds(4.1) == 4100


@pytest.mark.parametrize(
    "value",
    [
        -1,
        Number("-0.0001"),
        Number("1e400"),
        Number("1e99999999999999999999"),
        Number("1000000000.001"),
        10**400,
        float("nan"),
        float("inf"),
        True,
        "3",
        None,
        [3],
    ],
    ids=lambda value: str(value)[:24],
)
def test_parse_seconds_anything_else_is_refused(value):
    with pytest.raises(ValueError, match=r".+"):
        parse_seconds(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("00:00:05-00:01:10", Span(5_000, 70_000)),
        ("00:00:05.5-00:00:05.500", Span(5_500, 5_500)),
        ("25:00:00-100:00:00.001", Span(90_000_000, 360_000_001)),
        ("00:00:00.0004-00:00:00.0006", Span(0, 1)),
        ("00:59:59.9999-01:00:00", Span(3_600_000, 3_600_000)),
        ("00:00:09-00:00:08", Span(9_000, 8_000)),
    ],
)
def test_parse_span_reads_clock_times(text, expected):
    assert parse_span(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00:00:05",
        "0:00:05-0:00:06",
        "00:05-00:06",
        "00:60:00-00:61:00",
        "00:00:60-00:00:61",
        "00:00:05 - 00:00:06",
        "00:00:05–00:00:06",
        "-00:00:05-00:00:06",
        "00:00:05.-00:00:06",
        "00:00:05,5-00:00:06",
        "٠٠:٠٠:٠٥-00:00:06",
        "00:00:05-00:00:06\n",
    ],
)
def test_parse_span_another_format_is_refused(text):
    with pytest.raises(ValueError, match="not a span"):
        parse_span(text)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_parse_span_reads_back_what_was_written(start, length):
    written = Span(start, start + length)
    assert parse_span(span(start / 1000, (start + length) / 1000)) == written
    assert parse_seconds(Number(f"{start // 1000}.{start % 1000:03d}")) == start
    assert to_seconds(start) == start / 1000


def test_span_contains_is_half_open_and_an_instant_contains_itself():
    assert [Span(5, 7).contains(t) for t in (4, 5, 6, 7)] == [False, True, True, False]
    assert [Span(5, 5).contains(t) for t in (4, 5, 6)] == [False, True, False]


def test_number_survives_pickling():
    number = pickle.loads(pickle.dumps(Number("4.10")))
    assert (number, number.text) == (4.1, "4.10")


def test_times_half_open_tests_are_exact_where_floats_are_not(tmp_path):
    # 0.1 + 0.2 != 0.3 in floats; as milliseconds an occurrence that ends at 0.3 does not overlap
    # a window that starts there.
    times = {"source": (0.3, 0.4), "ai": (0.4, 0.5), "own": (0.5, 0.6)}
    segment = segment_with("s", "Step-1", 0, 1, **times)
    segment["nodes"].insert(0, make_node("x", (0.1, 0.3)))
    session = read_files(tmp_path, make_files([segment]))
    (row,) = build_rows(session, "adoption_forecast")
    assert [node["id"] for node in row["graph"]["nodes"]] == ["s/q", "s/a"]
    assert row["video"]["intervals"] == [{"start": 0.3, "end": 0.5}]


def test_times_longer_than_a_day_are_read(tmp_path):
    files = load_base()
    segment = files[GRAPH]["steps"][1]
    segment["start_seconds"], segment["end_seconds"] = 90_000, 400_000.25
    segment["nodes"][0]["time"] = ["25:00:00-111:06:40.250"]
    session = read_files(tmp_path, files)
    assert session.segments[1].span == Span(90_000_000, 400_000_250)
    assert session.nodes[3].occurrences == (Span(90_000_000, 400_000_250),)
