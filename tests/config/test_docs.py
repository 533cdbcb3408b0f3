"""The documents say what the code does."""

from __future__ import annotations

import re

import pytest

from launcher.options import ROOT
from studies import task_types

READ = re.compile(r"""env\.(?:text|flag|numbers?|words|choice|address|networks)\(\s*"(EARSHOT_\w+)\"""")
# Settings of a bucket have one beginning for each bucket.
BUCKETS, OF_BUCKET = re.compile(r'_bucket\("(\w+)"\)'), re.compile(r'f"EARSHOT_\{prefix\}_([A-Z_]+)"')
NAMED = re.compile(r"EARSHOT_[A-Z0-9_]*[A-Z0-9]")


def settings_read():
    # A crowd source may read settings of its own.
    folders = (ROOT / "platform" / "config", ROOT / "raters" / "sources")
    web = {name for folder in folders for path in folder.rglob("*.py") for name in READ.findall(path.read_text())}
    # The judge's own process has no settings module: whatever it names, it reads.
    judge = {name for path in (ROOT / "judge" / "server").glob("*.py") for name in NAMED.findall(path.read_text())}
    stores = (ROOT / "platform" / "config" / "stores.py").read_text()
    web |= {f"EARSHOT_{prefix}_{name}" for prefix in BUCKETS.findall(stores) for name in OF_BUCKET.findall(stores)}
    return web | {name.removesuffix("_FILE") for name in judge}


def settings_documented():
    return set(re.findall(r"^\| `(EARSHOT_\w+)` \|", (ROOT / "docs" / "settings.md").read_text(), re.M))


def test_every_setting_is_in_the_table_and_nothing_else_is():
    tests_alone = {name for name in settings_documented() if name.startswith("EARSHOT_TEST_")}
    assert settings_documented() - tests_alone == settings_read()
    assert tests_alone


def test_every_setting_named_anywhere_exists():
    known = settings_documented() | {f"{name}_FILE" for name in settings_documented()} | {"EARSHOT_TEST_SCRATCH"}
    # What the container files read themselves.
    for name in ("docker-compose.yml", "deploy/entrypoint"):
        known |= set(re.findall(r"\$\{(EARSHOT_\w+):-", (ROOT / name).read_text()))
    folders = ("platform", "studies", "raters", "analysis", "judge", "docs", "templates")
    files = [path for name in folders for kind in ("py", "md", "html") for path in (ROOT / name).rglob(f"*.{kind}")]
    files += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "run", "check")]
    strangers = {(path.name, name) for path in files for name in NAMED.findall(path.read_text()) if name not in known}
    assert strangers == set()


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/settings.md"])
def test_links_between_documents_lead_somewhere(document):
    here = ROOT / document
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", here.read_text())
    assert [link for link in links if not (here.parent / link).exists()] == []


def test_every_decision_has_a_number_a_status_and_a_reason():
    decisions = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [int(path.name[:4]) for path in decisions] == list(range(1, len(decisions) + 1))
    for path in decisions:
        text = path.read_text()
        assert re.search(r"^Status: (accepted|superseded by \d{4})", text, re.M), path.name
        assert all(f"\n## {part}\n" in text for part in ("Context", "Decision", "Consequences")), path.name


def test_contributing_names_every_part_that_a_task_type_must_have():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    kind = next(iter(task_types.by_name().values()))
    parts = {*type(kind).__abstractmethods__, *task_types.TaskType.__abstractmethods__, "Params", "Answer", "score"}
    assert {part for part in parts if f"`{part}" not in text} == set()
