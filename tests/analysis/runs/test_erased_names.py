"""After an erasure, no stored analysis, report or export contains the pseudonym of the erased rater."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import datetime

import pytest
from django.core.files.storage import default_storage

from analysis.exports.models import Export
from analysis.exports.pseudonyms import Pseudonyms
from analysis.report import document, printing
from analysis.runs import erasing as analysis_erasing
from analysis.runs.models import Analysis
from analysis.sections.reliability import Course, LeftOut, Outstanding, Reliability
from analysis.sections.results import load
from analysis.sections.shared import NOT_COMPUTED
from core.files import storage
from raters.models import Session
from raters.privacy import erasing, requests
from tests.analysis.report.results import results
from tests.analysis.runs.test_downloads import finished
from tests.analysis.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture(autouse=True)
def _readable_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store the page as it is instead of printing it, so that it can be searched."""
    monkeypatch.setattr(document, "printed", lambda page: page.encode())


def pseudonym(world: World, session: Session) -> str:
    return Pseudonyms(world.study.secret).rater(session.rater_id)


def analysed(world: World, *names: str) -> Analysis:
    """Return a finished analysis that names these raters in a table and in a sentence."""
    section = Reliability(
        icc=NOT_COMPUTED,
        repeats=None,
        seconds=None,
        score=None,
        outstanding=tuple(Outstanding(rater=name, answers=21, sign="share", value=0.9) for name in names),
        left_out=(LeftOut(of="rater", tried=8, changed=len(names), names=names),),
        corrected=(),
        courses=tuple(Course(rater=name, answers=21, share=0.9, longest=15) for name in names),
    )
    found = {**results(), "reliability": section.model_dump(mode="json")}
    row = finished(world, **printing.store(load(found), world.study.definition, [], []))
    Analysis.objects.filter(pk=row.pk).update(results=found)
    row.refresh_from_db()
    return row


def contents(row: Analysis) -> dict[str, str]:
    """Return all that is stored of an analysis, as text."""
    found = {"results": json.dumps(row.results), "files": json.dumps(row.files)}
    for name, file in row.files["documents"].items():
        content = storage.open_file(file).read()
        if name == "tables.zip":
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                found |= {inside: archive.read(inside).decode() for inside in archive.namelist()}
        else:
            found[name] = content.decode()
    return found


def holding(row: Analysis, name: str) -> set[str]:
    return {file for file, text in contents(row).items() if name in text}


def erase(session: Session, now: datetime) -> None:
    erasure = requests.erase_person(rater_id=session.rater_id, now=now, by=None)
    assert erasing.carry_out(pk=erasure.pk, clock=lambda: now)


def test_results_reports_tables_and_exports_do_not_contain_the_pseudonym_of_an_erased_rater(world: World) -> None:
    gone, stays = world.session(), world.session()
    row = analysed(world, pseudonym(world, gone), pseudonym(world, stays))
    files = {
        "results",
        "report.html",
        "report.pdf",
        *(f"{name}_raters.{kind}" for kind in ("csv", "md", "tex") for name in ("outstanding", "all")),
    }
    assert holding(row, pseudonym(world, gone)) == files
    export = Export.objects.create(
        study=world.study, created_at=world.now, state="done", file=storage.put("exports", b"PK")
    )
    before = list(row.files["documents"].values())
    erase(gone, world.now)
    row.refresh_from_db()
    assert holding(row, pseudonym(world, gone)) == set()
    assert holding(row, pseudonym(world, stays)) == files
    assert "an erased rater" in contents(row)["outstanding_raters.csv"]
    assert "an erased rater" in contents(row)["all_raters.csv"]
    assert not any(default_storage.exists(file) for file in [*before, export.file])


def test_an_analysis_that_names_others_keeps_its_files(world: World) -> None:
    gone, stays = world.session(), world.session()
    row = analysed(world, pseudonym(world, stays))
    erase(gone, world.now)
    before = row.files
    row.refresh_from_db()
    assert row.files == before
    assert row.erased_raters == 1


def test_files_of_results_that_cannot_be_read_are_deleted(world: World) -> None:
    gone = world.session()
    row = analysed(world, pseudonym(world, gone))
    documents = list(row.files["documents"].values())
    Analysis.objects.filter(pk=row.pk).update(results={"schema": 1, "of": pseudonym(world, gone)})
    erase(gone, world.now)
    row.refresh_from_db()
    assert row.results == {"schema": 1, "of": "erased"}
    assert row.files.get("documents", {}) == {}
    assert not any(default_storage.exists(file) for file in documents)


def test_an_interrupted_erasure_writes_the_reports_the_next_time(world: World) -> None:
    gone = world.session()
    row = analysed(world, pseudonym(world, gone))
    analysis_erasing.forget_rows(world.study.pk, gone.rater_id, world.now)
    row.refresh_from_db()
    assert "documents" not in row.files
    for _again in range(2):
        analysis_erasing.forget_files(world.study.pk)
        row.refresh_from_db()
        assert holding(row, pseudonym(world, gone)) == set()
        assert set(row.files["documents"]) == {"report.html", "report.pdf", "tables.zip"}
