"""The session page in Debian's Chromium; skipped where there is none."""

import json
import time

import pytest
from browser import CHROMIUM, running
from test_explore import NASTY, make_odd, serving

from kolab_core.explore import SiteOptions, build_site, match_answers
from kolab_core.explore.questions import all_rows
from kolab_core.names.location import find_sample
from kolab_core.release import open_release, read_session

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
FORECAST = "q => q.config === 'adoption_forecast'"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with running(tmp_path_factory.mktemp("profile")) as browser:
        yield browser.new_page()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    release = open_release(find_sample())
    session = read_session(release, release.session_ids[0])
    rows, _ = all_rows(session)
    lines = [
        json.dumps({"id": row["id"], "prediction": "final answer: ADOPT"})
        for row in rows["adoption_forecast"]
    ]
    (folder / "answers.jsonl").write_text("\n".join(lines))
    ids = {"adoption_forecast": [row["id"] for row in rows["adoption_forecast"]]}
    answers = match_answers(folder / "answers.jsonl", ids)
    return build_site(release, folder / "site", options=SiteOptions(answers=answers))


def address(site, fragment="", session_id="P01_S1"):
    return f"{site.folder.as_uri()}/sessions/{session_id}/index.html{fragment}"


def open_session(page, url, **how):
    page.open(url, **how)
    page.wait("Kolab.state && (Kolab.state.clock.canPlay || Kolab.state.clock.trouble)")


def now(page):
    return page.run("Kolab.state.clock.now")


def test_page_click_on_a_bar_moves_the_recording_and_shows_the_item(page, site):
    open_session(page, address(site))
    page.click(".bar.ai")
    node, start = page.run("[Kolab.state.node, Kolab.session.nodes[Kolab.state.node].times[0][0]]")
    assert now(page) == start > 0
    page.wait(f"Math.abs(document.getElementById('video').currentTime - {start / 1000}) < 0.001")
    text = page.run("document.getElementById('panel-item').innerText")
    assert page.run(f"Kolab.session.nodes[{node}].label") in text
    assert page.run("document.querySelectorAll('.edge').length") > 0
    page.click(".bar.segment:nth-child(2)")
    assert now(page) == page.run("Kolab.session.segments[1].start")
    assert page.run("!document.getElementById('panel-step').hidden")
    assert not page.complaints


def test_page_keys_move_play_and_zoom(page, site):
    open_session(page, address(site, "#t=30"))
    assert now(page) == 30_000
    moves = {"l": 40_000, "j": 30_000, "ArrowRight": 35_000, "ArrowLeft": 30_000}
    for key, time_ms in moves.items():
        page.press(key)
        assert now(page) == time_ms
    whole = page.run("Kolab.timeline.view.end - Kolab.timeline.view.start")
    for _ in range(12):
        page.press("+")
    view = page.run("[Kolab.timeline.view.start, Kolab.timeline.view.end]")
    assert view[1] - view[0] == 10_000
    assert view[0] <= 30_000 <= view[1]
    page.press("0")
    assert page.run("Kolab.timeline.view.end - Kolab.timeline.view.start") == whole
    page.press(" ")
    assert page.run("Kolab.state.clock.isPlaying")
    page.wait("Kolab.state.clock.now > 30300")
    page.press(" ")
    assert not page.run("Kolab.state.clock.isPlaying")
    assert page.run("document.getElementById('video').paused")
    assert not page.complaints


def test_page_follows_the_playing_recording_within_a_frame(page, site):
    open_session(page, address(site, "#t=20"))
    page.run("Kolab.state.clock.play()")
    page.wait("Kolab.state.clock.now > 20200")
    apart = page.run(
        "new Promise(done => { const v = document.getElementById('video'); const found = [];"
        " const take = (_, frame) => { requestAnimationFrame(() => {"
        "   found.push(Math.abs(Kolab.state.clock.now - Kolab.state.clock.offset"
        "     - v.currentTime * 1000));"
        "   found.length < 8 ? v.requestVideoFrameCallback(take) : done(found); }); };"
        " v.requestVideoFrameCallback(take); })"
    )
    page.run("Kolab.state.clock.pause()")
    assert len(apart) == 8
    assert max(apart) < 100  # a frame of the sample's ten a second
    chat = page.run("document.querySelector('.turn.current header').innerText")
    assert chat
    step = page.run("document.querySelector('#panel-step .steplist .current').textContent")
    assert step


def test_page_row_shows_what_a_model_sees_and_the_rest_when_asked(page, site):
    open_session(page, address(site))
    page.run(f"Kolab.state.openQuestion(Kolab.session.questions.find({FORECAST}))")
    question = page.run("Kolab.state.question")
    (start, cut), later = question["window"][0], page.run("Kolab.session.segments[2].start")
    assert now(page) == start
    shown = page.run("document.querySelectorAll('.turn:not(.hidden)').length")
    assert shown == len(question["turns"])
    hidden = page.run(
        "Kolab.session.nodes.filter((n, i) => !Kolab.state.question.nodes.some(k => k[0] === i))"
        ".map(n => n.label)"
    )
    page.press("0")
    seen = "document.body.innerText + document.body.innerHTML"
    assert hidden
    assert not [label for label in hidden if page.run(f"({seen}).includes({json.dumps(label)})")]
    assert page.run("document.querySelectorAll('.arc').length") == 0
    page.run(f"Kolab.state.jump({later})")
    assert page.run("document.getElementById('veil').innerText").startswith("Outside")
    assert page.run("getComputedStyle(document.getElementById('video')).visibility") == "hidden"
    page.run(f"Kolab.state.jump({cut - 400}); Kolab.state.clock.play()")
    page.wait("!Kolab.state.clock.isPlaying")
    assert now(page) == cut - 1
    assert "ADOPT" in page.run("document.getElementById('panel-rows').innerText")
    page.run("document.getElementById('panel-rows').scrollTop = 0")
    page.click("#reveal")
    text = page.run("document.getElementById('panel-rows').innerText")
    assert question["truth"] in text
    assert ("right" in text) is (question["truth"] == "adopt")
    assert page.run("document.querySelectorAll('.arc').length") > 0
    page.press("Escape")
    assert page.run("Kolab.state.question") is None
    assert not page.complaints


def test_page_opens_the_row_of_its_address_and_its_prompt(page, site):
    row = "P01_S1/seg0a/n4/0"
    open_session(page, address(site, f"#config=workflow_level&row={row}"))
    assert page.run("Kolab.state.question") is None  # no such row in that experiment
    open_session(page, address(site, f"#config=adoption_forecast&row={row}"))
    assert page.run("Kolab.state.question.id") == row
    page.click("#show-prompt")
    page.wait("document.getElementById('prompt').open")
    text = page.run("document.getElementById('prompt').innerText")
    assert "Here come the frames." in text
    goal = page.run("Kolab.session.goal")
    assert goal in text
    assert not page.complaints


def test_page_shows_markup_of_a_release_as_text(page, tmp_path):
    odd = build_site(open_release(make_odd(tmp_path)), tmp_path / "site")
    open_session(page, address(odd, "#t=5"))
    page.click(".bar.user")
    assert page.run("document.querySelectorAll('body script:not([src])').length") == 0
    assert NASTY in page.run("document.getElementById('panel-item').textContent")
    assert NASTY in page.run("document.getElementById('panel-chat').textContent")
    assert page.run("document.querySelector('#panel-chat .text').dir") == "auto"
    assert page.run("document.getElementById('panel-chat').textContent.length") < 3000
    page.run("document.querySelector('#panel-chat .more').click()")
    assert page.run("document.getElementById('panel-chat').textContent.length") > 50_000
    assert "no recording" in page.run("document.getElementById('veil').innerText")
    page.press(" ")
    page.wait("Kolab.state.clock.now > 1300")
    page.press(" ")
    assert not page.complaints


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_page_fits_its_width_in_both_themes(page, site, width, theme):
    for url in (address(site), f"{site.folder.as_uri()}/index.html"):
        page.open(url, width=width, theme=theme)
        assert page.run("document.documentElement.scrollWidth") <= width
        ground = page.run("getComputedStyle(document.body).backgroundColor")
        is_dark = sum(int(part) for part in ground[4:-1].split(",")) < 384
        assert is_dark is (theme == "dark")
    assert not page.complaints


def test_page_served_seeks_by_ranges(page, site):
    with serving(site) as folder:
        open_session(page, f"{folder}sessions/P01_S1/index.html#t=60")
        page.wait("Math.abs(document.getElementById('video').currentTime - 60) < 0.001")
        assert page.run("document.getElementById('video').seekable.end(0)") > 100
        assert not page.complaints
        page.call("Page.navigate", url="about:blank")
        time.sleep(0.1)


def test_index_finds_sessions(page, site):
    page.open(f"{site.folder.as_uri()}/index.html")
    assert page.run("document.querySelectorAll('tbody tr').length") == 6
    page.run(
        "document.getElementById('find').value = 'accountant S2';"
        "document.getElementById('find').dispatchEvent(new Event('input'))"
    )
    assert page.run("document.querySelectorAll('tbody tr:not([hidden])').length") == 1
    page.run("document.querySelector('tbody tr:not([hidden]) a').click()")
    page.wait("location.pathname.endsWith('/sessions/P02_S2/index.html')")
