"""Firefox and WebKit as Debian packages them, driven by the commands of W3C WebDriver.

Playwright drives neither: it needs builds of its own. Firefox takes the commands at its own socket (Marionette), WebKit
by HTTP from the driver beside it. Both play to a PulseAudio that nobody hears; without an output, neither plays.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.check.programs import ENGINES
from tests.servers import free_port

PATIENCE = 30.0
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
MINIBROWSERS = "usr/lib/*/webkit2gtk-4.1/MiniBrowser"
PREFERENCES = """
user_pref("marionette.port", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
"""
# The commands used here: their names in Firefox, and their methods and paths elsewhere.
PATHS = {
    "Navigate": ("POST", "url"),
    "Refresh": ("POST", "refresh"),
    "Back": ("POST", "back"),
    "Forward": ("POST", "forward"),
    "FindElement": ("POST", "element"),
    "ElementClick": ("POST", "element/{id}/click"),
    "ElementSendKeys": ("POST", "element/{id}/value"),
    "ExecuteScript": ("POST", "execute/sync"),
    "SetWindowRect": ("POST", "window/rect"),
    "TakeScreenshot": ("GET", "screenshot"),
}


class DriverError(Exception):
    """A command that the browser refused."""


@dataclass(frozen=True)
class Loudspeaker:
    """The output device of a browser, which can be pulled out."""

    address: str

    def unplug(self) -> None:
        self.control("unload-module", "module-null-sink")

    def plug(self) -> None:
        self.control("load-module", "module-null-sink")

    def control(self, *command: str) -> None:
        environ = {**os.environ, "PULSE_SERVER": self.address}
        subprocess.run(["pactl", *command], env=environ, check=True, stdout=subprocess.DEVNULL)


class Tab(ABC):
    """One window of a browser."""

    loudspeaker: Loudspeaker

    @abstractmethod
    def send(self, command: str, **parameters: Any) -> Any:
        """Send a WebDriver command; return its value."""

    def script(self, body: str, *arguments: Any) -> Any:
        """Run the body of a function in the page."""
        return self.send("ExecuteScript", script=body, args=list(arguments))

    def find(self, css: str) -> str:
        return str(self.send("FindElement", using="css selector", value=css)[ELEMENT])

    def click(self, css: str) -> None:
        """Click as a person does: it counts as a gesture."""
        self.send("ElementClick", id=self.find(css))

    def type(self, css: str, text: str) -> None:
        self.send("ElementSendKeys", id=self.find(css), text=text)

    def wait(self, condition: str, *arguments: Any) -> None:
        """Wait until an expression is true in the page, whatever page that is by then."""
        until = time.monotonic() + PATIENCE
        while not self.holds(condition, *arguments):
            assert time.monotonic() < until, f"Waited in vain for {condition} {arguments}\n{self.seen()}"
            time.sleep(0.05)

    def holds(self, condition: str, *arguments: Any) -> bool:
        try:
            return bool(self.script(f"return {condition};", *arguments))
        except DriverError:
            return False  # between two pages

    def seen(self) -> Any:
        return self.script("return location.href + '\\n' + document.body.innerText;")

    def resize(self, width: int, height: int) -> None:
        self.send("SetWindowRect", width=width, height=height)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("TakeScreenshot")))


class Firefox(Tab):
    """Speaks Marionette: each message is its length, a colon and JSON."""

    def __init__(self, port: int, loudspeaker: Loudspeaker) -> None:
        self.loudspeaker = loudspeaker
        self.line = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.stream = self.line.makefile("rb")
        self.receive()
        self.send("NewSession")

    def receive(self) -> Any:
        length = b"".join(iter(lambda: self.stream.read(1), b":"))
        return json.loads(self.stream.read(int(length)))

    def send(self, command: str, **parameters: Any) -> Any:
        message = json.dumps([0, 1, f"WebDriver:{command}", parameters]).encode()
        self.line.sendall(b"%d:%s" % (len(message), message))
        _kind, _number, error, result = self.receive()
        if error:
            raise DriverError(error["message"])
        return result.get("value", result)

    def close(self) -> None:
        self.stream.close()
        self.line.close()


class WebKit(Tab):
    """Speaks HTTP to WebKitWebDriver, which starts the browser."""

    def __init__(self, port: int, browser: str, loudspeaker: Loudspeaker) -> None:
        self.loudspeaker = loudspeaker
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE)
        options = {"binary": browser, "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        self.path = f"/session/{self.request('POST', '/session', wanted)['sessionId']}"

    def request(self, method: str, path: str, parameters: Any) -> Any:
        reply = self.client.request(method, path, json=parameters if method == "POST" else None)
        value = reply.json()["value"]
        if reply.is_error:
            raise DriverError(value["message"])
        return value

    def send(self, command: str, **parameters: Any) -> Any:
        method, path = PATHS[command]
        return self.request(method, f"{self.path}/{path.format(**parameters)}", parameters)

    def close(self) -> None:
        self.client.request("DELETE", self.path)
        self.client.close()


@contextmanager
def firefox(folder: Path) -> Iterator[Tab]:
    """Start Firefox with a new profile."""
    (folder / "user.js").write_text(PREFERENCES)
    command = ["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", str(folder)]
    with loudspeaker(folder) as output, process(command, folder, {"PULSE_SERVER": output.address}):
        tab = Firefox(int(wait_for(lambda: (folder / "MarionetteActivePort").read_text())), output)
        yield tab
        tab.close()


@contextmanager
def webkit(folder: Path) -> Iterator[Tab]:
    """Start WebKit's own small browser, on a screen that nobody sees."""
    with ExitStack() as stack:
        output = stack.enter_context(loudspeaker(folder))
        screen = folder / "Xvfb.log"
        stack.enter_context(process(["Xvfb", "-screen", "0", "1400x1000x24", "-displayfd", "1"], folder))
        display = wait_for(lambda: "".join(re.findall(r"^\d+$", screen.read_text(), re.MULTILINE)))
        port = free_port()
        environ = {"DISPLAY": f":{display}", "PULSE_SERVER": output.address, "NO_AT_BRIDGE": "1"}
        stack.enter_context(process(["WebKitWebDriver", f"--port={port}"], folder, environ))
        wait_for(lambda: socket.create_connection(("127.0.0.1", port)).close() or "open")
        tab = WebKit(port, str(next(Path("/").glob(MINIBROWSERS))), output)
        stack.callback(tab.close)
        yield tab


@contextmanager
def loudspeaker(folder: Path) -> Iterator[Loudspeaker]:
    """Start a PulseAudio whose sound goes nowhere, in real time."""
    door = folder / "pulse/native"
    modules = ["module-null-sink", "module-native-protocol-unix auth-anonymous=1"]
    command = ["pulseaudio", "-n", "--use-pid-file=no", "--exit-idle-time=-1", *(f"--load={each}" for each in modules)]
    with process(command, folder):
        wait_for(lambda: "open" if door.exists() else "")
        yield Loudspeaker(f"unix:{door}")


@contextmanager
def process(command: list[str], folder: Path, environ: dict[str, str] | None = None) -> Iterator[None]:
    """Keep a program running that writes what it says, and its files, to this folder."""
    home = {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), **(environ or {})}
    with (folder / f"{Path(command[0]).name}.log").open("wb") as log:
        running = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=home)
        try:
            yield
        finally:
            running.terminate()
            running.wait(timeout=PATIENCE)


def wait_for(read: Callable[[], str]) -> str:
    """Return what can be read, once it can."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            if value := read():
                return value
        except OSError:
            pass
        assert time.monotonic() < until, "The browser did not start."
        time.sleep(0.05)


def missing(engine: str) -> list[str]:
    """Return the Debian packages that this browser lacks here."""
    return [package for package, program in ENGINES[engine].items() if not shutil.which(program)]
