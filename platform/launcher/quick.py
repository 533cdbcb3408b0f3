"""`earshot quick A/ B/`: start a blind test of folders, wait for its listeners, print the result and end."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from core.paths import ROOT, START, default_data
from launcher import broker, environment, folder, ports, prepare, settings
from launcher.children import Child, children
from launcher.interrupts import Interrupts
from launcher.options import Options, is_loopback
from launcher.quick_options import QuickOptions, parse
from launcher.say import LauncherError, line
from launcher.supervisor import Supervisor
from launcher.waiting import wait_until_up

COMPLETE, STOPPED = 0, 1
# Few people listen at once, and fewer processes start sooner.
SMALL = {"EARSHOT_WEB_WORKERS": "1", "EARSHOT_WORKERS": "1"}


def main(argv: Sequence[str], interrupts: Interrupts) -> int:
    """Carry out the command line; return 0 after a complete test, 1 if it was stopped by hand.

    `interrupts` are listened to already. Raises `LauncherError` if nothing can be tested.
    """
    asked = parse(argv)
    with data_folder(asked) as data, redirect_stdout(sys.stderr if asked.json else sys.stdout):
        return test(asked, data, interrupts)


@contextmanager
def data_folder(asked: QuickOptions) -> Iterator[Path]:
    """Yield the folder of the data: the one named, or one that is deleted after the result."""
    if asked.data is not None:
        yield asked.data
        return
    data = Path(tempfile.mkdtemp(prefix="earshot-quick-"))
    try:
        yield data
    except BaseException:
        if (data / "quick.json").exists():
            line(f"The study with the answers so far is kept. Open it: {opening(data)}")
        else:
            shutil.rmtree(data, ignore_errors=True)
        raise
    shutil.rmtree(data, ignore_errors=True)


def opening(data: Path) -> str:
    """Return the command that opens the study in the workspace."""
    return f"{START} --no-demo --data {shlex.quote(str(data))}"


def test(asked: QuickOptions, data: Path, interrupts: Interrupts) -> int:
    """Make the study, serve it until its listeners have finished, and print the result."""
    listener = ports.listen(asked.host, asked.port)
    options = Options(data=data, host=asked.host, port=listener.getsockname()[1], demo=False)
    environment.prepare(["run"])
    folder.make(data)
    with folder.lock(data, options.parts):
        # A server's own settings, such as its database, are not those of this test.
        environ_before = {name: value for name, value in os.environ.items() if not name.startswith("EARSHOT_")} | SMALL
        broker.configure(data, options.port + 1)
        environ = settings.environment(options, environ_before)
        prepare.tables(data, environ)
        collect_static_files(environ)
        prepare.remember(data, "address", environ["EARSHOT_BASE_URL"])
        supervisor = Supervisor(data, environ, interrupts)
        try:
            # They start while the study is made.
            for child in children(options, environ_before, listener):
                supervisor.start(child)
            make_study(asked, data, environ)
            supervisor.start(progress(data))
            wait_until_up(options, environ["EARSHOT_BASE_URL"], supervisor)
            return listen(asked, data, environ, supervisor)
        finally:
            supervisor.stop()


def collect_static_files(environ: dict[str, str]) -> None:
    """Collect them next to the usual data, where later tests find them."""
    static = Path(os.environ.get("EARSHOT_STATIC") or default_data() / "static")
    folder.make(static.parent)
    environ["EARSHOT_STATIC"] = str(static)
    prepare.static_files(static.parent, environ)


def progress(data: Path) -> Child:
    """Return the process that counts the listeners who have finished."""
    (data / "quick-finished").unlink(missing_ok=True)
    return Child("progress", tuple(prepare.command("quick_progress")))


def make_study(asked: QuickOptions, data: Path, environ: dict[str, str]) -> None:
    """Have the study made, and show what is said about it."""
    if (data / "quick.json").exists():
        raise LauncherError(f"{data} already holds a test. Choose another folder with --data.")
    with (
        (data / "logs" / "quick.log").open("w+", encoding="utf-8") as log,
        subprocess.Popen(
            prepare.command("quick_study"), cwd=ROOT, env=environ, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=log,
        ) as process,
    ):  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(asked.request)
        process.stdin.close()
        for text in process.stdout or ():
            line(f"  {text.rstrip()}")
        if process.wait():
            log.seek(0)
            said = log.read()
            raise LauncherError(prepare.reason(said) or f"The test can't be made:\n{said[-2000:]}")


def listen(asked: QuickOptions, data: Path, environ: dict[str, str], supervisor: Supervisor) -> int:
    """Show the link, wait for the listeners, and print the result."""
    show_link(asked, data)
    is_stopped = False
    try:
        wait(asked.raters, data / "quick-finished", supervisor)
    except KeyboardInterrupt:
        is_stopped = True
    print_result(asked, environ, is_stopped=is_stopped)
    if asked.data is not None:
        line(f"Open the study with its answers: {opening(asked.data)}")
    if asked.keep_open and not is_stopped:
        line("The pages stay open until you press Ctrl-C.")
        stay_open(supervisor)
    return STOPPED if is_stopped else COMPLETE


def show_link(asked: QuickOptions, data: Path) -> None:
    """Print the link; it is the only way in."""
    line()
    line((data / "quick-link.txt").read_text(encoding="utf-8"))
    line()
    if not is_loopback(asked.host):
        line("The test is open to the local network over plain HTTP: others on it can read what is sent.")
        line("Send this link to listeners, or open it yourself.")
    else:
        line("Open this link on this computer. For listeners on other devices, start again with --host.")
    whom = "1 listener has" if asked.raters == 1 else f"{asked.raters} listeners have"
    line(f"The result is printed when {whom} finished. Press Ctrl-C to stop earlier.")


def wait(listeners: int, finished: Path, supervisor: Supervisor) -> None:
    """Wait until so many listeners have finished, and say how many have."""
    before = 0
    while True:
        supervisor.look_after()
        done = int(finished.read_text(encoding="utf-8") or 0) if finished.exists() else 0
        if done > before:
            line(f"Listeners who have finished: {done} of {listeners}")
            before = done
        if done >= listeners:
            return
        time.sleep(0.5)


def stay_open(supervisor: Supervisor) -> None:
    """Go on serving until Ctrl-C."""
    try:
        while True:
            supervisor.look_after()
            time.sleep(0.5)
    except KeyboardInterrupt:
        line()


def print_result(asked: QuickOptions, environ: dict[str, str], *, is_stopped: bool) -> None:
    """Print the result, in one line for each pair of folders, or in JSON."""
    flags = [name for name, is_set in (("--stopped", is_stopped), ("--json", asked.json)) if is_set]
    text = prepare.manage(environ, "quick_result", "--out", str(asked.out), *flags)
    if asked.json:
        sys.__stdout__ and sys.__stdout__.write(text + "\n")
        return
    line()
    line(text)
