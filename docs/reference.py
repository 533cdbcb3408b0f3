"""Write the pages of the reference that follow from the code: commands, columns, and endpoints of the API."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import django
import yaml

HERE = Path(__file__).parent
FOLDER = HERE / "generated"
METHODS = ("get", "post", "put", "patch", "delete")
# Their commands are Earshot's own; the others are Django's and its libraries'.
APPS = {"core", "accounts", "studies", "raters", "analysis", "judge", "demo", "quick"}
Wide = partial(argparse.HelpFormatter, width=100)


def setup(app: Any) -> dict[str, bool]:
    """Write the pages when Sphinx starts."""
    app.connect("config-inited", lambda *_: write())
    return {"parallel_read_safe": True}


def write() -> None:
    """Write all generated pages; a page that didn't change keeps its time, so that Sphinx doesn't read it again."""
    django.setup()
    FOLDER.mkdir(exist_ok=True)
    for name, lines in {"commands": commands(), "columns": columns(), "endpoints": endpoints()}.items():
        path, text = FOLDER / f"{name}.md", "\n".join(lines) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def commands() -> Iterator[str]:
    """Show the help of every management command of Earshot."""
    from django.core.management import get_commands, load_command_class

    yield "# Commands"
    yield ""
    yield "Call each as `./run manage COMMAND …`, on the data folder that `--data DIR` before `manage` names."
    for name, app in sorted(get_commands().items()):
        if app in APPS:
            command = load_command_class(app, name)
            parser = argparse.ArgumentParser(
                f"./run manage {name}", description=command.help, add_help=False, formatter_class=Wide
            )
            command.add_arguments(parser)
            yield from ["", f"## {name}", "", "```text", parser.format_help().rstrip(), "```"]


def columns() -> Iterator[str]:
    """Describe every column of Earshot's own tables, as codebook.csv of an export does."""
    from analysis.exports import (
        breakdowns,
        browsing,
        checks,
        clips,
        codes,
        people,
        questionnaire,
        ratings,
        reviews,
        score_looks,
        spot_checks,
    )

    tables = {
        "ratings": ratings.COLUMNS, "raters": people.RATERS, "clips": clips.CLIPS, "batches": people.BATCHES,
        "evidence": browsing.EVIDENCE, "checks": checks.COLUMNS, "questionnaire": questionnaire.COLUMNS,
        "questions": clips.QUESTIONS, "breakdowns": breakdowns.COLUMNS, "skipped": browsing.SKIPPED,
        "reviews": reviews.COLUMNS, "codes": codes.COLUMNS, "spot_checks": spot_checks.COLUMNS,
        "score_looks": score_looks.COLUMNS, "payment": people.PAYMENT,
    }  # fmt: skip
    yield "# Columns"
    yield ""
    yield (
        "The columns of an [export](../exports.md), table by table, as its `codebook.csv` describes them. An export "
        "has the tables that its study needs; columns kept from your own tables begin with `x_`."
    )
    for name, described in tables.items():
        yield from ["", f"## {name}.csv", ""]
        rows = ((f"`{c.name}`", f"{c.kind}{f', {c.unit}' if c.unit else ''}", explained(c)) for c in described)
        yield from table(("column", "type", ""), rows)


def explained(column: Any) -> str:
    levels = f" One of {', '.join(f'`{level}`' for level in column.levels.split('|'))}." if column.levels else ""
    return plain(column.meaning) + levels


def endpoints() -> Iterator[str]:
    """List the endpoints of the API from its description."""
    described = yaml.safe_load((HERE / "openapi.yaml").read_text(encoding="utf-8"))
    yield "# Endpoints of the API"
    yield ""
    yield "Made from `docs/openapi.yaml`, which has every field. How to start: [API](../api.md)."
    yield ""
    rows = (
        (f"`{method.upper()} {path}`", plain(operation.get("summary", "")), plain(operation.get("description", "")))
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        if method in METHODS
    )
    yield from table(("endpoint", "", "needs"), rows)


def plain(text: str) -> str:
    """Return text as one line that Markdown shows unchanged, but for code."""
    return " ".join(text.split()).replace("<", "&lt;").replace("*", r"\*").replace("_", r"\_")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
