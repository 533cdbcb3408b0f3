"""What `./check` counts, and what it refuses to pass over."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import pytest
from django.db import connection

from launcher.say import LauncherError
from tests import conftest
from tests.check import __main__ as check
from tests.check import judge, programs, steps, suite
from tests.check.suite import Counts


def drive(hook, subject, report):
    generator = hook(subject)
    next(generator)
    with pytest.raises(StopIteration) as end:
        generator.send(report)
    return end.value.value


def item(marks, promised):
    options = SimpleNamespace(getoption=lambda name: promised)
    return SimpleNamespace(
        nodeid="test_x", config=options, iter_markers=lambda: [SimpleNamespace(name=mark) for mark in marks]
    )


def skipped():
    return SimpleNamespace(skipped=True, outcome="skipped", longrepr="no browser")


def test_a_promised_test_that_is_skipped_fails():
    report = drive(conftest.pytest_runtest_makereport, item(["browser"], "browser,s3"), skipped())
    assert report.outcome == "failed"
    assert "no browser" in report.longrepr


@pytest.mark.parametrize(("marks", "promised"), [([], "browser"), (["browser"], ""), (["s3"], "browser")])
def test_a_test_that_nobody_promised_may_be_skipped(marks, promised):
    assert drive(conftest.pytest_runtest_makereport, item(marks, promised), skipped()).outcome == "skipped"


def test_a_file_that_skips_itself_fails_under_the_check():
    collector = SimpleNamespace(nodeid="test_x.py", config=item([], "s3").config)
    assert drive(conftest.pytest_make_collect_report, collector, skipped()).outcome == "failed"


def test_tests_are_counted_from_the_report(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite tests="9" failures="1" errors="2" skipped="3"/><testsuite tests="4"/></testsuites>'
    )
    assert suite.read(report) == Counts(passed=7, failed=3, skipped=3)
    assert str(Counts(7, 3, 3)) == "7 passed, 3 failed, 3 skipped"


def test_a_run_without_a_report_counts_as_a_failure(tmp_path):
    assert suite.read(tmp_path / "gone.xml") == Counts(failed=1)


def test_what_is_left_out_is_named(monkeypatch):
    monkeypatch.setattr("sys.argv", ["check", "--without", "s3", "--without", "postgres"])
    assert check.left_out(check.arguments()) == ["postgres", "s3"]
    monkeypatch.setattr("sys.argv", ["check", "--all"])
    assert check.left_out(check.arguments()) == []
    monkeypatch.setattr("sys.argv", ["check", "--fast"])
    assert check.left_out(check.arguments()) == [
        "broker",
        "browser",
        "engines",
        "ffmpeg",
        "judge",
        "nginx",
        "pgbouncer",
        "postgres",
        "s3",
    ]


def test_every_part_that_is_promised_is_told_to_pytest(monkeypatch):
    told = []
    monkeypatch.setattr("sys.argv", ["check", "--without", "postgres", "--", "-k", "pool"])
    monkeypatch.setattr(check.programs, "chromium", lambda: "a browser")
    monkeypatch.setattr(check.programs, "ffmpeg", lambda: None)
    monkeypatch.setattr(check.programs, "nginx", lambda: None)
    monkeypatch.setattr(check.suite, "run", lambda *arguments: told.append(arguments) or Counts(1))
    assert check.tests(check.arguments()) == Counts(1)
    (title, environ, arguments) = told[0]
    assert title == "SQLite"
    assert environ == {"EARSHOT_TEST_CHROMIUM": "a browser"}
    assert "--require=broker,browser,ffmpeg,nginx,pgbouncer,processes,s3" in arguments
    assert arguments[-2:] == ["-k", "pool"]


@pytest.mark.parametrize(
    ("asked", "ran"), [(["--all"], ["made", "judge"]), (["--all", "--without", "judge"], []), ([], [])]
)
def test_the_judges_own_tests_run_with_all_the_others_and_can_be_left_out(monkeypatch, asked, ran):
    told = []
    monkeypatch.setattr("sys.argv", ["check", "--without", "postgres", *asked])
    monkeypatch.setattr(check.programs, "chromium", lambda: "a browser")
    monkeypatch.setattr(check.programs, "ffmpeg", lambda: None)
    monkeypatch.setattr(check.programs, "nginx", lambda: None)
    monkeypatch.setattr(check.programs, "engines", lambda: None)
    monkeypatch.setattr(check.suite, "run", lambda title, environ, arguments: Counts(1))
    monkeypatch.setattr(check.judge, "prepare", lambda: told.append("made"))
    monkeypatch.setattr(check.judge, "check", lambda: told.append("judge") or Counts(1))
    assert check.tests(check.arguments()) == Counts(2 if ran else 1)
    assert told == ran


def test_a_system_without_the_headless_shell_gets_the_whole_chromium(monkeypatch):
    asked = []

    def install(package, *told):
        asked.append(package)
        if package != "chromium":
            raise LauncherError("no such package")

    monkeypatch.setattr(programs, "install", install)
    programs.install_chromium()
    assert asked == ["chromium-headless-shell", "chromium"]


@pytest.mark.parametrize(
    ("asked", "runs"), [(["--all"], True), (["--all", "--without", "engines"], False), ([], False)]
)
def test_the_other_browsers_are_brought_and_required_with_all_the_others(monkeypatch, asked, runs):
    brought, told = [], []
    monkeypatch.setattr("sys.argv", ["check", "--without", "postgres", "--without", "judge", *asked])
    monkeypatch.setattr(check.programs, "chromium", lambda: "a browser")
    monkeypatch.setattr(check.programs, "ffmpeg", lambda: None)
    monkeypatch.setattr(check.programs, "nginx", lambda: None)
    monkeypatch.setattr(check.programs, "engines", lambda: brought.append("engines"))
    monkeypatch.setattr(check.suite, "run", lambda title, environ, arguments: told.extend(arguments) or Counts(1))
    check.tests(check.arguments())
    assert bool(brought) == runs
    assert any("engines" in word for word in told if word.startswith("--require")) == runs
    assert any("not engines" in word for word in told) != runs


def test_only_what_the_other_browsers_lack_is_installed(monkeypatch):
    asked = []
    monkeypatch.setattr(programs.shutil, "which", lambda name: None if name in {"Xvfb", "firefox-esr"} else name)
    monkeypatch.setattr(programs, "install", lambda *told: asked.append(told))
    programs.engines()
    assert asked == [("firefox-esr xvfb", "Firefox and WebKit", "engines")]


def test_a_type_error_in_a_script_fails_the_check(tmp_path, capsys):
    compiler = programs.KEPT / programs.COMPILER
    if not compiler.exists():
        pytest.skip("./check has not installed TypeScript")
    project, script = tmp_path / "tests" / "check" / "typescript", tmp_path / "static" / "js" / "rater" / "page.js"
    script.parent.mkdir(parents=True)
    shutil.copy(steps.ROOT / "static" / "js" / "rater" / "page.js", script)
    shutil.copytree(programs.TYPESCRIPT, project)
    with script.open("a") as planted:
        planted.write('part(document, "h1").value = "";\n')
    assert not steps.run(steps.scripts(compiler, project))
    output = capsys.readouterr().out
    assert "Property 'value' does not exist on type 'HTMLElement'" in output
    assert output.count("error TS") == 1


def test_without_a_registry_the_check_says_that_types_of_scripts_are_not_checked(tmp_path, monkeypatch, capsys):
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    # Nothing listens on this port.
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    assert programs.typescript(tmp_path / "typescript") is None
    assert (
        "types of scripts are not checked: npm could not install TypeScript (ECONNREFUSED)" in capsys.readouterr().out
    )


def test_without_node_the_check_says_that_types_of_scripts_are_not_checked(monkeypatch, capsys):
    monkeypatch.setattr(programs.shutil, "which", lambda name: None)
    assert programs.typescript() is None
    assert "node and npm are not installed" in capsys.readouterr().out


def test_the_judges_environment_leaves_out_what_only_a_gpu_needs():
    lines = [line for lock in judge.LOCKS for line in (judge.ROOT / "locks" / f"{lock}.txt").read_text().splitlines()]
    kept = judge.without_gpus(lines)
    names = [line.partition("==")[0] for line in kept if "==" in line]
    assert {"transformers", "peft", "fastapi", "pytest", "numpy"} <= set(names)
    assert not [name for name in names if name.startswith(("torch", "triton", "nvidia", "cuda"))]
    assert {line.partition("==")[0] for line in lines if "==" in line} > set(names)
    pinned = [line for line in kept if "==" in line]
    assert len(pinned) == len(set(pinned))
    assert all(line.endswith("\\") for line in pinned), "each is followed by its hashes"


@pytest.fixture
def row(transactional_db):
    """Ask for a database on behalf of whoever asks for this."""


def test_what_asks_for_no_database_is_left_to_the_first_one_and_refused_every_query(request):
    assert conftest.is_the_same_on_every_database(request.node)
    with pytest.raises(RuntimeError, match="Database access not allowed"):
        connection.cursor()


@pytest.mark.django_db
def test_what_is_marked_as_asking_for_a_database_meets_each(request):
    assert not conftest.is_the_same_on_every_database(request.node)


@pytest.mark.parametrize("fixture", ["db", "row", "admin_client", "live_server", "process_environment"])
def test_what_asks_for_a_database_by_any_fixture_meets_each(request, fixture):
    manager = request.session._fixturemanager
    closure = manager.getfixtureclosure(request.node, [fixture], ignore_args=())[0]
    asking = SimpleNamespace(fixturenames=closure, get_closest_marker=lambda name: None)
    assert not conftest.is_the_same_on_every_database(asking)


def test_what_is_about_the_other_database_alone_is_not_left_out():
    about = SimpleNamespace(fixturenames=[], get_closest_marker=lambda name: name == "postgres")
    assert not conftest.is_the_same_on_every_database(about)
