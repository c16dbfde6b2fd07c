"""Debian's Chromium without a window, spoken to over a pipe in the DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["CHROMIUM", "Browser", "Page", "running"]

CHROMIUM = shutil.which("chromium")
_PATIENCE_S = 30.0
_KEYS = {" ": "Space", "ArrowLeft": "ArrowLeft", "ArrowRight": "ArrowRight", "Escape": "Escape"}


class Page:
    """A tab.

    Attributes:
        complaints: What its console and its policy complained of.
    """

    def __init__(self, browser: Browser, session_id: str) -> None:
        self._browser = browser
        self._session_id = session_id
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> Any:
        return self._browser.call(method, params, self._session_id)

    def run(self, script: str) -> Any:
        """The value of an expression (of what it promises)."""
        result = self.call(
            "Runtime.evaluate",
            expression=script,
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        if "exceptionDetails" in result:
            raise AssertionError(json.dumps(result["exceptionDetails"])[:1500])
        return result["result"].get("value")

    def wait(self, script: str) -> Any:
        """The expression's first value that is true."""
        end = time.monotonic() + _PATIENCE_S
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}; {self.complaints}")

    def open(self, url: str, *, width: int = 1280, height: int = 800, theme: str = "light") -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        theme_feature = {"name": "prefers-color-scheme", "value": theme}
        self.call("Emulation.setEmulatedMedia", features=[theme_feature])
        self.call("Page.navigate", url="about:blank")
        self.complaints.clear()
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def press(self, key: str) -> None:
        code = _KEYS.get(key, f"Key{key.upper()}")
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code)

    def click(self, selector: str) -> None:
        """Click the middle of an element as a mouse would."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
            " return [b.left + b.width / 2, b.top + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=box[0],
                y=box[1],
                button="left",
                buttons=1 if kind == "mousePressed" else 0,
                clickCount=1,
            )

    def picture(self, path: Path) -> None:
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def take(self, message: dict[str, Any]) -> None:
        """Keep what an event complains of."""
        method, params = message["method"], message["params"]
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(params["args"])[:600])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(json.dumps(params["entry"])[:600])


class Browser:
    """A running Chromium."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._buffer = b""
        self._count = 0
        self._pages: dict[str, Page] = {}

    def new_page(self) -> Page:
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        page = Page.__new__(Page)
        self._pages[attached["sessionId"]] = page
        page.complaints = []
        page.__init__(self, attached["sessionId"])  # type: ignore[misc]
        return page

    def call(self, method: str, params: dict[str, Any], session_id: str | None = None) -> Any:
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if session_id:
            message["sessionId"] = session_id
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if "id" not in answer:
                page = self._pages.get(answer.get("sessionId", ""))
                if page is not None:
                    page.take(answer)
            elif answer["id"] == self._count:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], _PATIENCE_S)[0]:
                raise AssertionError("the browser does not answer")
            part = os.read(self._from, 1 << 20)
            if not part:
                raise AssertionError("the browser is gone")
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found


@contextmanager
def running(profile: Path) -> Iterator[Browser]:
    """A Chromium with a profile of its own, until the block ends."""
    commands, to_browser = os.pipe()
    from_browser, answers = os.pipe()

    def place() -> None:
        first, second = os.dup(commands), os.dup(answers)
        os.dup2(first, 3)
        os.dup2(second, 4)

    words = [
        str(CHROMIUM),
        "--headless",
        "--no-sandbox",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--mute-audio",
        "--autoplay-policy=no-user-gesture-required",
        "--hide-scrollbars",
        "about:blank",
    ]
    process = subprocess.Popen(
        words,
        preexec_fn=place,
        pass_fds=(3, 4),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(commands)
    os.close(answers)
    try:
        yield Browser(to_browser, from_browser)
    finally:
        os.close(to_browser)  # which ends it
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(from_browser)
