"""The documents say what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from PIL import Image

from core.paths import ROOT
from studies import task_types
from studies.definition import presets
from studies.imports.ingest import manifest

PAGES = (*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "how-to").glob("*.md"))
OPTIONS = ROOT / "platform" / "launcher" / "options.py"

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


def address(page):
    """Return a page's path from the root."""
    return page.relative_to(ROOT).as_posix()


def headings(page):
    """Return the anchors of a page, as GitHub makes them."""
    lines = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize(
    "document",
    ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *sorted(map(address, PAGES))],
)
def test_links_between_documents_lead_somewhere(document):
    page = ROOT / document
    for link, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#]*)#?([^)]*)\)", page.read_text()):
        target = page.parent / link if link else page
        assert target.exists(), link
        assert not anchor or anchor in headings(target), f"{link}#{anchor}"


def test_every_decision_has_a_number_a_status_and_a_reason():
    decisions = sorted((ROOT / "docs" / "adr").glob("0*.md"))
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


def test_the_readme_is_short():
    text, _, links = (ROOT / "README.md").read_text().partition("## Documentation")
    assert links
    assert len(text.split()) <= 600


def test_the_readmes_pictures_exist_in_light_and_dark_and_are_small():
    addresses = re.findall(r'(?:src|srcset)="([^"]+)"', (ROOT / "README.md").read_text())
    assert {Path(address).stem for address in addresses} == {
        f"{name}-{scheme}" for name in ("trial", "results") for scheme in ("light", "dark")
    }
    for address in addresses:
        path = ROOT / address
        with Image.open(path) as image:
            assert image.format == "PNG", address
            assert image.width >= 600, address
        assert path.stat().st_size < 150_000, address


def test_every_page_of_the_docs_is_linked_from_the_readme():
    links = set(re.findall(r"\]\((docs/[^)#]+\.md)", (ROOT / "README.md").read_text()))
    assert set(map(address, PAGES)) - links - {"docs/index.md"} == set()


@pytest.mark.parametrize("part", ["manifest", "presets", "options"])
def test_pages_linked_from_the_readme_describe_every(part):
    page, names = {
        "manifest": ("clips.md", {*manifest.COLUMNS, *manifest.ROLES}),
        "presets": ("presets.md", set(presets.by_name())),
        "options": ("running.md", set(re.findall(r'add_argument\(\s*"(--[a-z-]+)"', OPTIONS.read_text()))),
    }[part]
    text = (ROOT / "docs" / page).read_text()
    assert names
    assert {name for name in names if f"`{name}" not in text} == set()


def test_the_citation_is_valid_and_names_this_version():
    citation = ROOT / "CITATION.cff"
    tool = Path(sys.executable).with_name("check-jsonschema")
    schema = "vendor.citation-file-format"
    done = subprocess.run([tool, "--builtin-schema", schema, citation], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    values = yaml.safe_load(citation.read_text())
    assert (values["version"], values["license"]) == (project["version"], project["license"])
    entry = (ROOT / "README.md").read_text().partition("```bibtex")[2]
    assert all(f"{{{values[name]}}}" in entry for name in ("title", "version", "license"))
