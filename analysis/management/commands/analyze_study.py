"""Analyse studies and write paper tables, plots, a report, or everything for machines."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from analysis.data import hiding
from analysis.data.hiding import is_hiding
from analysis.data.models import Simulated
from analysis.runs import analyses
from analysis.sections.results import Results, dump
from analysis.sections.shared import Refusal
from core import clock
from core.errors import Conflict, DomainError
from core.text import languages
from studies.clips import tables as clips_tables
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from analysis.sections.results import Material

PAPERS = ("att", "hfr", "sp-mcqa")
WITHHELD = "(a question about a passage of the black box)"


class Command(BaseCommand):
    help = "Compute all figures of a study. Without --paper, --json, --report or --out, the scores are printed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("--paper", choices=PAPERS, help="write the tables of this paper into --out")
        parser.add_argument(
            "--with", nargs="+", default=[], metavar="SLUG", dest="others", help="join other studies by system"
        )
        parser.add_argument(
            "--out",
            type=Path,
            metavar="DIR",
            help="folder for tables (CSV, Markdown, LaTeX) and plots; without --paper, those of the report",
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="write all results for machines, not rounded")
        parser.add_argument("--report", type=Path, metavar="FILE", help="write the report: FILE.html or FILE.pdf")
        parser.add_argument(
            "--language",
            choices=settings.CATALOGUES,
            default="en",
            help="of the report and the plots (default: en); tables and JSON stay in English",
        )
        parser.add_argument(
            "--simulated", choices=Simulated.values, default=Simulated.WITHOUT, help="which sessions to read"
        )
        parser.add_argument("--versions", nargs="+", type=int, metavar="N", help="versions to pool (default: all)")
        parser.add_argument("--seed", type=int, default=analyses.SEED, help="seed of all random draws")
        parser.add_argument(
            "--open-scores", default="", metavar="REASON", help="read scores hidden until closing; it is logged"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.refuse(options)
        try:
            study = self.analysed(options["slug"], options, options["versions"])
            others = [self.analysed(slug, options, None) for slug in options["others"]]
            with languages.speaking(options["language"]):
                self.write(study, others, options)
        except DomainError as error:
            details = getattr(error, "problems", {}) or {}
            raise CommandError(" ".join(dict.fromkeys([error.message, *details.values()]))) from error
        except OSError as error:
            raise CommandError(f"Can't write {error.filename or options['out']}: {error.strerror}.") from error

    def refuse(self, options: dict[str, Any]) -> None:
        """Refuse options that don't go together before the analysis, which may take minutes."""
        report = options["report"]
        if options["paper"] and not options["out"]:
            raise CommandError("--paper needs --out DIR, the folder to write its tables into.")
        if options["others"] and not options["paper"]:
            raise CommandError("--with joins studies in a paper's tables: name one with --paper.")
        if report and report.suffix.lower() not in (".html", ".pdf"):
            raise CommandError("--report writes HTML or PDF: let the file end in .html or .pdf.")
        if options["slug"] in options["others"] or len(set(options["others"])) < len(options["others"]):
            raise CommandError("Each study can be named once.")

    def analysed(self, slug: str, options: dict[str, Any], versions: list[int] | None) -> Material:
        """Return a study with its results; a reason opens hidden scores for this run."""
        study = definition_queries.study(slug)
        if is_hiding(study):
            if not options["open_scores"]:
                raise Conflict(f"The scores of {slug} are hidden until it is closed; --open-scores REASON reads them.")
            hiding.open_early(study=study, user=None, reason=options["open_scores"], now=clock.now())
            hiding.log_sight(study=study, user=None, what="analyze_study", now=clock.now())
        return analyses.material(
            study=study, simulated=options["simulated"], versions=versions, seed=options["seed"], report=self.progress
        )

    def progress(self, step: str, done: int, total: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"{done + 1:>3} of {total}  {step}")

    def write(self, study: Material, others: list[Material], options: dict[str, Any]) -> None:
        """Write the requested outputs; without any, print the scores."""
        results = study.results
        if options["json"]:
            self.put(options["json"], json.dumps(dump(results), indent=1, ensure_ascii=False).encode())
        if options["report"]:
            from analysis.papers import index
            from analysis.report import document

            paper = options["paper"] or study.kind.paper
            with languages.speaking("en"):
                of_paper = index.tables(paper, [study, *others]) if paper else []
            make = document.pdf if options["report"].suffix.lower() == ".pdf" else document.html
            content = make(results, study.definition, papers=of_paper)
            self.put(options["report"], content if isinstance(content, bytes) else content.encode())
        if options["out"]:
            self.tables(study, others, options)
        if not (options["json"] or options["report"] or options["out"]):
            self.summary(results)

    def tables(self, study: Material, others: list[Material], options: dict[str, Any]) -> None:
        from analysis.papers import index
        from analysis.report import document, plots

        folder: Path = options["out"]
        if options["paper"]:
            tables = index.tables(options["paper"], [self.with_comments(each, options) for each in (study, *others)])
        else:
            with languages.speaking("en"):
                tables = [table for part in document.parts(study.results, study.definition) for table in part.tables]
        for table in tables:
            self.put(folder / f"{table.name}.csv", table.csv().encode())
            self.put(folder / f"{table.name}.md", table.markdown().encode())
            self.put(folder / f"{table.name}.tex", table.latex().encode())
        drawn = plots.draw(study.results)
        if options["paper"] == "att":
            from analysis.papers import att_judges

            self.put(folder / f"{att_judges.DOTS}.csv", att_judges.dots(study.judges).csv().encode())
            drawn += [plot for plot in [att_judges.figure(study.judges)] if plot]
        for plot in drawn:
            self.put(folder / f"{plot.name}.svg", plot.svg.encode())
            self.put(folder / f"{plot.name}.png", plot.png)

    def with_comments(self, study: Material, options: dict[str, Any]) -> Material:
        """Add raters' comments with their codes, which stored results never contain; not available by version."""
        if not study.kind.asks or options["versions"]:
            return study
        from analysis.data import reasons

        row = definition_queries.study(study.slug)
        which, groups = Simulated(options["simulated"]).flag, clips_tables.groups(row.pk)
        comments = reasons.notes(row.pk, which, groups, is_coded=True)
        # Tables of a paper are public (rule D11).
        return replace(study, comments=reasons.without_black_prompts(row, comments, WITHHELD))

    def put(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.stdout.write(str(path))

    def summary(self, results: Results) -> None:
        """Print the systems' scores."""
        scores = results.scores
        if isinstance(scores, Refusal):
            self.stdout.write(scores.refused)
            return
        self.stdout.write(f"{results.study.scale.name} of {results.inputs.counted} ratings that count")
        for group in scores.by["system"]:
            ends = "no interval" if group.low is None else f"{group.low:.4f} … {group.high:.4f}"
            self.stdout.write(f"{group.name:24} {group.mean:8.4f}  {ends:20}  n {group.ratings}")
