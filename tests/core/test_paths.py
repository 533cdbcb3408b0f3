"""Earshot installed where nobody writes: everything is found from one folder, and data goes elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from core import paths
from core.paths import ROOT

WHERE = """
import django
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import get_template
from django.utils import translation
django.setup()
with translation.override("zh-hans"):
    print(settings.DATA, get_template("core/problem.html").origin.name, finders.find("css/admin.css"), sep="\\n")
    print(translation.gettext("System status"))
"""


def test_a_clone_keeps_its_data_in_its_own_folder():
    assert paths.default_data() == ROOT / "data"


def test_without_a_writable_clone_data_goes_to_the_home_of_the_account(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "IS_CLONE", False)
    monkeypatch.setenv("HOME", "/home-of-somebody")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert str(paths.default_data()) == "/home-of-somebody/.local/share/earshot"
    monkeypatch.setenv("XDG_DATA_HOME", "/shares")
    assert str(paths.default_data()) == "/shares/earshot"
    monkeypatch.setattr(paths, "IS_CLONE", True)
    assert paths.default_data() == tmp_path / "data"
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    assert str(paths.default_data()) == "/shares/earshot"
    (tmp_path / "data").mkdir()
    assert paths.default_data() == tmp_path / "data"


def test_an_installed_copy_finds_its_files_and_writes_nothing_beside_them(tmp_path):
    copy, home = tmp_path / "installed", tmp_path / "home"
    for name in ("platform", "studies", "raters", "analysis", "judge", "templates", "static", "locale"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "manage.py", copy)
    before = set(copy.rglob("*"))
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("EARSHOT_", "DJANGO_", "XDG"))}
    environ |= {"HOME": str(home), "EARSHOT_SECRET_KEY": "k" * 60, "PYTHONDONTWRITEBYTECODE": "1"}
    environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONPATH": f"{copy}:{copy / 'platform'}"}

    def python(*arguments):
        done = subprocess.run([sys.executable, *arguments], cwd=home, env=environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    data = home / ".local" / "share" / "earshot"
    data.mkdir(parents=True)
    *places, translated = python("-c", WHERE)
    assert places == [str(data), str(copy / "templates/core/problem.html"), str(copy / "static/css/admin.css")]
    assert translated != "System status"
    python(copy / "manage.py", "migrate", "--verbosity=0")
    python(copy / "manage.py", "collectstatic", "--no-input", "--verbosity=0")
    assert {"earshot.sqlite3", "static"} <= {path.name for path in data.iterdir()}
    assert set(copy.rglob("*")) == before
