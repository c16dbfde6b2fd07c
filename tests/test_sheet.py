import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from kolab_core.sampling import Frames
from kolab_core.sampling.sheet import note_html, sheet_html, sheet_image

PAPER = (246, 246, 244)


def frames_of(count, *, width=64, height=40):
    """Frames of one grey each, 10 apart, 1.5 s apart."""
    images = np.empty((count, height, width, 3), dtype=np.uint8)
    images[:] = (10 * np.arange(count, dtype=np.uint8))[:, None, None, None]
    return Frames(images, np.arange(count) * 1.5)


def test_sheet_image_holds_every_frame_in_reading_order():
    sheet = np.asarray(sheet_image(frames_of(6)))
    cells = []
    for y in range(8, sheet.shape[0] - 40):
        for x in range(8, sheet.shape[1] - 64, 72):
            block = sheet[y : y + 40, x : x + 64]
            if (block == block[0, 0]).all() and tuple(block[0, 0]) != PAPER:
                cells.append(int(block[0, 0, 0]))
    assert cells == [0, 10, 20, 30, 40, 50]


def test_sheet_image_writes_each_time_under_its_frame():
    one = frames_of(1)
    shown = [
        np.asarray(sheet_image(Frames(one.images, np.array([time])))) for time in (0.0, 61.5, 61.5)
    ]
    assert np.array_equal(shown[1], shown[2])
    rows = np.flatnonzero((shown[0] != shown[1]).any(axis=(1, 2)))
    assert rows.min() >= 8 + 40  # below the picture
    ink = (shown[1][48:] < 100).all(axis=2)
    assert ink.sum() > 20
    assert ink[:, :8].sum() == ink[:, -8:].sum() == 0  # none runs off the sheet


@pytest.mark.parametrize(
    ("count", "width", "height", "columns"),
    [(1, 64, 40, 1), (9, 160, 90, 3), (4, 160, 90, 2), (9, 90, 200, 5)],
)
def test_sheet_image_grid_suits_the_frames(count, width, height, columns):
    sheet = sheet_image(frames_of(count, width=width, height=height))
    assert sheet.width == 8 + columns * (width + 8)


def test_sheet_image_shrinks_to_the_size_and_never_enlarges():
    assert sheet_image(frames_of(1), size=20).width == 8 + 32 + 8
    assert sheet_image(frames_of(1), size=400).size == sheet_image(frames_of(1)).size
    with pytest.raises(ValueError, match="size: found 0; expected at least 1 pixel"):
        sheet_image(frames_of(1), size=0)


def test_sheets_of_no_frames_say_so():
    assert len(np.unique(np.asarray(sheet_image(frames_of(0))))) > 2
    assert "no frames" in sheet_html(frames_of(0))


def test_sheet_html_holds_each_frame_with_its_time():
    page = sheet_html(frames_of(3), title="<a> & b")
    assert "<b>&lt;a&gt; &amp; b</b>" in page
    assert re.findall(r"<figcaption[^>]*>([^<]*)<", page) == ["0:00.000", "0:01.500", "0:03.000"]
    assert re.findall(r'alt="frame at ([^"]*) s"', page) == ["0.000", "1.500", "3.000"]
    greys = [
        round(float(np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))).mean()))
        for data in re.findall(r"base64,([^\"]*)\"", page)
    ]
    assert greys == pytest.approx([0, 10, 20], abs=1)


def test_sheet_html_of_many_or_large_frames_stays_small():
    page = sheet_html(frames_of(25, width=640, height=360))
    assert page.count("<img ") == 24
    assert "24 of 25 frames" in page
    assert 'width="256" height="144"' in page
    assert "0:00.000" in page
    assert "0:36.000" in page  # the last one
    assert len(page) < 200_000


def test_note_html_escapes():
    assert "<i>" not in note_html("<i>", title="<i>")


def test_frames_show_themselves():
    assert frames_of(2)._repr_html_() == sheet_html(frames_of(2))
