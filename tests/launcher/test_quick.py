"""The command line of `earshot quick`, and the whole command with a listener over HTTP."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest

from core.paths import ROOT
from launcher import quick
from launcher.quick_options import lan_address, parse
from launcher.say import LauncherError
from tests.launcher.started import bare_environment
from tests.processes.visitor import TOKEN, Browser
from tests.quick.folders import folder
from tests.quick.visitor import HttpListener

WORDS = ("crimson", "indigo", "sentence0")
# The packages are installed in the environment of the tests, which may be shared by several clones.
PROGRAM = """
import sys
from launcher import environment, settings
environment.prepare = lambda locks: None
of = settings.environment
settings.environment = lambda *about: of(*about) | {"PYTHONPATH": sys.argv[1]}
from launcher.__main__ import main
sys.exit(main(sys.argv[2:]))
"""


def test_folders_become_absolute_and_the_rest_is_passed_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = parse(["a", "b", "--tie", "--raters", "3", "--seed", "5"])
    request = json.loads(asked.request)
    assert request["folders"] == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert (request["tie"], request["raters"], request["seed"], asked.raters) == (True, 3, 5, 3)
    assert (asked.host, asked.data) == ("127.0.0.1", None)


def test_host_alone_is_the_address_in_the_local_network():
    assert parse(["a", "b", "--host"]).host == lan_address()
    assert parse(["a", "b", "--host", "192.168.1.7"]).host == "192.168.1.7"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["a"], "2 to 5 folders, not 1"),
        (list("abcdef"), "2 to 5 folders, not 6"),
        (["a", "b", "--task", "att"], "needs flawed clips and human recordings as traps, which quick doesn't imitate"),
        (["a", "b", "--task", "hfr"], "study create my-study --preset hfr"),
        (["a", "b", "--task", "mos"], "choose ab, abx, acr, mushra"),
        (["a", "b", "--task", "mushra"], "go together"),
        (["a", "b", "--task", "abx", "--tie"], "--tie goes with"),
        (["a", "b", "--raters", "0"], "choose 1 to 100"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_is_wrong(arguments, text, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize("ending", [None, LauncherError("no result"), KeyboardInterrupt()])
@pytest.mark.parametrize("has_answers", [False, True])
def test_data_of_a_test_without_a_result_are_kept(ending, has_answers, capsys):
    with suppress(LauncherError, KeyboardInterrupt), quick.data_folder(parse(["a", "b"])) as data:
        if has_answers:
            (data / "quick.json").touch()
        if ending is not None:
            raise ending
    is_kept = has_answers and ending is not None
    assert data.exists() == is_kept == (f"--no-demo --data {data}" in capsys.readouterr().out)
    shutil.rmtree(data, ignore_errors=True)


class Interrupted:
    """A supervisor that gets Ctrl-C at its fourth look."""

    looks = 0

    def look_after(self) -> None:
        self.looks += 1
        if self.looks == 4:
            raise KeyboardInterrupt


def test_keep_open_serves_after_the_result_until_ctrl_c(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(quick, "print_result", lambda *_about, **_more: quick.line("RESULT"))
    monkeypatch.setattr(quick.time, "sleep", lambda _seconds: None)
    (tmp_path / "quick-link.txt").write_text("http://127.0.0.1:1/s/listen-1/")
    (tmp_path / "quick-finished").write_text("1")
    supervisor = Interrupted()
    assert quick.listen(parse(["a", "b", "--keep-open"]), tmp_path, {}, supervisor) == 0
    assert supervisor.looks == 4
    said = capsys.readouterr().out
    assert said.endswith("Listeners who have finished: 1 of 1\nRESULT\nThe pages stay open until you press Ctrl-C.\n\n")


@pytest.fixture(scope="session")
def static(tmp_path_factory):
    """The static files, collected by the first test that is started."""
    return tmp_path_factory.mktemp("quick") / "static"


def start(static: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the program; with --json, its standard error is read apart."""
    environ = {**bare_environment(), "EARSHOT_STATIC": str(static), "PYTHONPATH": str(ROOT / "platform")}
    folders = os.pathsep.join(map(str, (ROOT, ROOT / "platform")))
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, folders, *arguments], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if "--json" in arguments else subprocess.STDOUT, text=True, env=environ,
        start_new_session=True,
    )  # fmt: skip


def said_until(process: subprocess.Popen[str], wanted: str) -> str:
    """Return what a program says up to a line with `wanted`."""
    said = ""
    for line in process.stderr or process.stdout or ():
        said += line
        if wanted in line:
            return said
    raise AssertionError(said)


class Test:
    """A test that was started, with what it printed so far."""

    __test__ = False

    def __init__(self, root: Path, static: Path, *arguments: str) -> None:
        self.data, self.out, self.text = root / "data", root / "out", ""
        self.process = start(static, "quick", *arguments, "--data", str(self.data), "--out", str(self.out))
        self.started = time.monotonic()

    def link(self) -> str:
        """Wait for the link; nothing before it names a folder or a file."""
        self.text = said_until(self.process, "The result is printed")
        return re.findall(r"http://\S+", self.text)[0]

    def end(self) -> str:
        """Wait for the end, and return the standard output after the link."""
        return self.process.communicate(timeout=120)[0]

    def logs(self) -> str:
        return "".join(path.read_text(errors="replace") for path in (self.data / "logs").iterdir())


@pytest.mark.processes
def test_a_listener_with_the_link_hears_chooses_and_the_result_ends_the_test(tmp_path, static):
    folders = folder(tmp_path, "crimson", 6), folder(tmp_path, "indigo", 6)
    test = Test(tmp_path, static, *map(str, folders), "--seed", "3")
    try:
        listener = HttpListener(test.link())
        shown = listener.start()
        listener.play(shown)
        to_first_clip = time.monotonic() - test.started
        assert listener.finish(shown, lambda trial: {"preference": 1})["state"] == "ended"
        before = test.text + "".join(listener.pages) + test.logs()
        said = test.end()
    finally:
        test.process.kill()
        test.process.wait()
    assert [word for word in WORDS if word in before] == []
    assert "6 texts have a file in every folder." in test.text
    assert test.process.returncode == 0
    result = json.loads((test.out / "result.json").read_text())
    [pair] = result["pairs"]
    # Always the second clip, whichever folder it is from.
    assert result["heard_first"] == {"crimson": 3, "indigo": 3}
    assert pair["wins"] == pair["losses"] == 3
    assert 6 == result["answers"] == result["answers_planned"]
    assert f"was preferred to {pair['second']} on {pair['wins']} of 6 texts" in said
    assert {Path(each["path"]).parent for each in result["files"]} == set(folders)
    assert (test.out / "report.html").exists()
    # An idle machine needs about 30 s; this one may do much else.
    assert to_first_clip < 600


@pytest.mark.processes
def test_ctrl_c_reports_the_answers_so_far_and_ends_with_1(tmp_path, static):
    test = Test(
        tmp_path, static, str(folder(tmp_path, "crimson", 5)), str(folder(tmp_path, "indigo", 5)), "--raters", "2"
    )
    try:
        listener = HttpListener(test.link())
        listener.finish(listener.start(), lambda trial: {"preference": -1}, trials=3)
        test.process.send_signal(signal.SIGINT)
        said = test.end()
    finally:
        test.process.kill()
        test.process.wait()
    assert "Stopped by hand after 3 of 10 answers." in said
    assert test.process.returncode == 1


@pytest.mark.processes
def test_json_is_all_of_the_standard_output_and_a_kept_study_opens_in_the_workspace(tmp_path, static):
    folders = folder(tmp_path, "crimson", 6), folder(tmp_path, "indigo", 6, seconds=1.5)
    test = Test(tmp_path, static, *map(str, folders), "--task", "acr", "--json")
    try:
        link = test.link()
        listener = HttpListener(link)
        # The longer clips, which are those of indigo, are the better ones.
        listener.finish(listener.start(), lambda trial: {"score": 5 if trial["clips"][0]["seconds"] > 1 else 2})
        said = test.end()
    finally:
        test.process.kill()
        test.process.wait()
    result = json.loads(said)
    assert test.process.returncode == 0
    assert result == json.loads((test.out / "result.json").read_text())
    [pair] = result["pairs"]
    assert (pair["first"], pair["second"], pair["wins"], pair["mean"]) == ("indigo", "crimson", 6, 3.0)
    assert pair["p"] == pytest.approx(2 / 2**6)

    kept = start(static, "run", "--no-demo", "--data", str(test.data), "--port", link.split(":")[2].split("/")[0])
    try:
        [(base, password)] = re.findall(
            r"(http://\S+)/studies/\s+user admin, password (\S+)", said_until(kept, "Ctrl-C")
        )
        browser = Browser(base)
        token = TOKEN.search(browser.open("/admin/login/").text)
        assert token
        form = urlencode({"csrfmiddlewaretoken": token[1], "username": "admin", "password": password})
        assert browser.send("POST", "/admin/login/", form).status == 302
        studies = browser.open("/studies/")
        assert f"/studies/{link.rstrip('/').rpartition('/')[2]}/" in studies.text
        assert "Listening test" in studies.text
    finally:
        kept.send_signal(signal.SIGINT)
        kept.communicate(timeout=60)


@pytest.mark.processes
def test_folders_that_don_t_fit_end_with_1_and_say_why(tmp_path, static):
    first, second = folder(tmp_path, "crimson", 3), folder(tmp_path, "indigo", 0)
    (second / "other.wav").write_bytes((first / "crimson_sentence000.wav").read_bytes())
    test = Test(tmp_path, static, str(first), str(second))
    said = test.end()
    assert test.process.returncode == 1
    assert "No file names match" in said
