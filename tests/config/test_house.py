"""What holds for the repository as a whole."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from config import settings
from core.paths import ROOT

FOLDERS = ("platform", "studies", "raters", "analysis", "templates", "static", "tests", "docs", "locks", ".ci")
CODE = {".py", ".js", ".html", ".css"}
TEXT = {*CODE, ".md", ".txt", ".toml", ".yml", ".sh", ""}


def files(kinds):
    inside = [path for name in FOLDERS for path in (ROOT / name).rglob("*")]
    for path in [*ROOT.glob("*"), *inside]:
        if path.is_file() and path.suffix in kinds and "__pycache__" not in path.parts:
            yield path


def named(path):
    return str(path.relative_to(ROOT))


def test_the_folder_called_platform_never_becomes_a_package():
    # As a package it would shadow the standard library's module, and only some commands would notice.
    assert not (ROOT / "platform" / "__init__.py").exists()
    assert [path.name for path in (ROOT / "platform").glob("*.py")] == []
    assert not (ROOT / "tests" / "platform").exists()


def test_the_standard_library_is_found_from_the_root():
    done = subprocess.run(
        [sys.executable, "-c", "import platform; print(platform.system())"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout.strip() in {"Linux", "Darwin"}, done.stderr


def test_every_folder_of_tests_is_a_package():
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert [named(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_no_file_is_longer_than_400_lines():
    long = {
        named(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in files(CODE)
        if "migrations" not in path.parts and "vendor" not in path.parts
    }
    assert {path: lines for path, lines in long.items() if lines > 400} == {}


@pytest.mark.parametrize(
    "forbidden",
    [
        # Written in pieces, so that this file does not hold what it looks for.
        r"(?<![\w.<])/" + r"(root|work|home/\w+)/",
        "pythonhosted" + r"\.org|" + "pypi" + r"\.org|" + "registry" + r"\.npmjs",
        r"\b(" + "TO" + "DO|" + "FIX" + "ME|" + "XX" + r"X)\b",
        r"raise NotImplemented" + "Error",
    ],
)
def test_no_file_names_a_machine_or_leaves_work_undone(forbidden):
    found = [
        f"{named(path)}:{number}"
        for path in files(TEXT)
        if "vendor" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(forbidden, line)
    ]
    assert found == []


def test_every_version_named_is_the_same():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    newest = re.search(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest is not None
    assert settings.VERSION == project["version"] == newest[1]


def test_every_command_of_the_root_can_be_started():
    assert all((ROOT / name).stat().st_mode & 0o111 for name in ("run", "check", "manage.py", ".ci/run"))


def test_the_pipeline_leaves_nothing_out():
    script = Path(ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "./check --all" in script
    assert "--without" not in script
