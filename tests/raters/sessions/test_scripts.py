"""A first visit loads few scripts, and finds each of them in the page itself, whatever the task."""

from __future__ import annotations

import re
from datetime import datetime
from graphlib import TopologicalSorter
from pathlib import Path
from urllib.parse import urljoin

import pytest

from core.paths import ROOT
from raters.sessions import lifecycle
from studies import task_types
from tests.world import Person, carry, make_study

pytestmark = pytest.mark.django_db
IMPORTS = re.compile(r'^import (?:[^"]* from )?"(\.[^"]+)";$', re.M)
TYPES = re.compile(r'(?:from |import |import\()"(\.[^"]+)"')
NAMED = re.compile(r'<(?:script type="module" src|link rel="modulepreload" href)="([^"]+\.js)"')
# What only researchers may know of a clip; "human", "machine" and a reference that is named so are on the pages.
SECRETS = re.compile(r"hidden[\s_-]*reference|\banchor|\btrap|golden|flawed|\bdistractor", re.I)
# What the server reads of a template, and no browser.
UNSENT = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.S)
# Of a browser that has nothing yet, on the page that leads to all others.
MOST = 9


def with_imports(url: str) -> set[str]:
    """Return a script and all that it imports, directly or not."""
    reached, waiting = set[str](), [url]
    while waiting:
        script = waiting.pop()
        if script not in reached:
            reached.add(script)
            source = (ROOT / Path(script.lstrip("/"))).read_text(encoding="utf-8")
            waiting += [urljoin(script, name) for name in IMPORTS.findall(source)]
    return reached


def test_the_trial_page_names_every_script_that_it_needs_and_the_instructions_load_them_ahead(now: datetime) -> None:
    person = Person(make_study(now=now), now)
    client, place = carry(person), f"/rate/{person.study.slug}"
    lifecycle.consent(session_id=person.session.pk, agreed=True, now=now)
    ahead = NAMED.findall(client.get(f"{place}/instructions/").content.decode())
    lifecycle.begin(session_id=person.session.pk, now=now)
    person.load()
    named = set(NAMED.findall(client.get(f"{place}/trial/").content.decode()))
    assert named == set(ahead)
    assert named == set().union(*map(with_imports, named))
    assert len(named) <= MOST


@pytest.mark.parametrize("kind", sorted(task_types.by_name()))
def test_no_task_needs_more_scripts(kind: str) -> None:
    own = f"/static/js/task_types/{kind}.js"
    module = own if (ROOT / own.lstrip("/")).exists() else "/static/js/rater/task.js"
    assert len(with_imports("/static/js/rater/trial.js") | with_imports(module)) <= MOST


def test_no_script_names_one_that_imports_it_even_in_its_types() -> None:
    """Names are hashed with what a file names: collecting static files fails on a circle, and reads comments, too."""
    named = {
        path.resolve(): {(path.parent / name).resolve() for name in TYPES.findall(path.read_text(encoding="utf-8"))}
        for path in (ROOT / "static" / "js").rglob("*.js")
        if "vendor" not in path.parts
    }
    list(TopologicalSorter(named).static_order())


def test_nothing_that_a_raters_browser_gets_names_what_raters_must_not_know() -> None:
    static, templates = ROOT / "static", ROOT / "templates"
    scripts = [*(static / "js" / "rater").iterdir(), *(static / "js" / "task_types").iterdir()]
    scripts += [*(static / "js" / "forms").iterdir(), static / "css" / "rater.css", static / "css" / "earshot.css"]
    pages = [*(templates / "raters").glob("*.html"), *(templates / "task_types").iterdir(), templates / "base.html"]
    pages += (templates / "raters" / "checks").iterdir()
    sent = {path: path.read_text(encoding="utf-8") for path in scripts}
    sent |= {path: UNSENT.sub("", path.read_text(encoding="utf-8")) for path in pages}
    assert len(sent) > 50
    assert {path.name: SECRETS.findall(text) for path, text in sent.items() if SECRETS.search(text)} == {}
