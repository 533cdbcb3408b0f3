"""No app names an address of a higher one: what leads there is a hook, or comes as an argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from core.paths import ROOT

# A lower app stands before a higher one.
APPS = ("core", "accounts", "studies", "raters", "analysis", "judge", "workspace", "config")
FOLDERS = ("platform", "studies", "raters", "analysis", "judge", "templates")
NAME = re.compile(r"""["'](\w+:\w+)["']""")


def owners(patterns: Any = None, namespace: str = "") -> Iterator[tuple[str, str]]:
    """Yield (name, app) of every named address in a namespace: it belongs to the app whose view answers it."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLResolver):
            yield from owners(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else namespace)
        elif isinstance(pattern, URLPattern) and pattern.name and namespace:
            # A list of rows in Django's admin, such as `raters_session_changelist`, is named after the rows' app.
            row = pattern.name.partition("_")[0]
            view = pattern.callback.__module__.partition(".")[0]
            yield f"{namespace}{pattern.name}", row if namespace == "admin:" and row in APPS else view


def app_of(path: Path) -> str:
    """Return the app of a module or template; "" for what is part of none."""
    parts = [part for part in path.relative_to(ROOT).parts if part not in {"platform", "templates", "admin"}]
    return "studies" if parts[0] == "task_types" else parts[0] if parts[0] in APPS else ""


def too_high(app: str, content: str, owner: dict[str, str]) -> list[str]:
    """Return the names in the text that belong to an app above `app`."""
    named = (name for name in NAME.findall(content) if owner.get(name) in APPS)
    return [name for name in named if APPS.index(owner[name]) > APPS.index(app)]


def test_no_app_names_an_address_of_a_higher_one() -> None:
    owner = dict(owners())
    paths = [path for folder in FOLDERS for kind in ("*.py", "*.html") for path in (ROOT / folder).rglob(kind)]
    found = {
        str(path.relative_to(ROOT)): names
        for path in paths
        if (app := app_of(path)) and (names := too_high(app, path.read_text(encoding="utf-8"), owner))
    }
    assert found == {}
    assert {app_of(path) for path in paths} >= set(APPS)


@pytest.mark.parametrize(
    ("app", "content", "names"),
    [
        ("studies", 'reverse("workspace:overview", args=[study.slug])', ["workspace:overview"]),
        ("raters", "<a href=\"{% url 'analysis:study' study.slug %}\">", ["analysis:study"]),
        ("studies", "{% url 'admin:raters_session_changelist' %}", ["admin:raters_session_changelist"]),
        ("studies", "{% url 'experts:spot_check_overview' study.slug %}", []),
        ("analysis", '"workspace:no_such_page", "studies:clips", "admin:index"', []),
    ],
)
def test_the_look_itself_sees_such_a_name(app: str, content: str, names: list[str]) -> None:
    assert too_high(app, content, dict(owners())) == names
