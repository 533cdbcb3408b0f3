"""No page of the URLconf reads more rows in a large study than in a small one, as PostgreSQL counts them."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.test import Client

from accounts.models import User
from analysis.comparisons import comparing
from analysis.metrics import queries as metrics_queries
from analysis.models import Simulated
from core import clock, jobs
from studies.members import rows
from studies.models import Study
from studies.summaries import services as summaries
from studies.summaries.models import Summary
from tests import figures
from tests.bench.history import add_history
from tests.bench.seeding import Size, make_study
from tests.roles.world import Shared, add_rows, routes
from tests.workspace.queues import add_queues, fill

pytestmark = [
    # SQLite does not say how many rows a statement reads.
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.django_db,
    pytest.mark.usefixtures("files"),
]
SMALL, LARGE = (20, 200), (400, 4000)
# A page of the larger study may read twice the rows of the smaller one, and so many more.
MOST, MORE = 2, 250
READ = """SELECT sum(pg_stat_get_xact_tuples_returned(oid)) FROM pg_class
WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace"""
# Pages that show what a worker computed, once it is there.
SUMMARIES = {
    "api:audit",
    "api:cost",
    "experts:review_overview",
    "experts:coding_overview",
    "studies:audit",
    "studies:launch",
    "studies:questions",
    "studies:repair",
    "studies:texts",
    "analysis:metric",
    "drafting:home",
    "judge:prescreening",
    "judge:run",
    "paying:overview",
    "previews:dry_run",
    "studies:design",
    "workspace:live",
    "workspace:live_figures",
    "workspace:recruit",
}
# Lists whose pages are asked for so short that they are full in the small study, too.
SHORT = {"api:ratings", "api:reviews", "api:sessions"}
# Pages that read more in a larger study, and why that is so.
GROWING: dict[str, set[str]] = {
    "counts up to 1,000 items of a queue, which the small study does not have": {
        "experts:coding",
        "experts:coding_current",
        "experts:index",
        "experts:review",
        "experts:review_current",
        "workspace:home",
        "workspace:overview",
    },
    "a file with a row for each clip": {"analysis:machines_clips"},
}
# Addresses that show nothing here: files that no job made, pages that lead elsewhere, and what nobody may open.
NOT_OPENED = {
    "admin:app_list",
    "admin:autocomplete",
    "admin:raters_answer_add",
    "admin:raters_answer_delete",
    "admin:raters_batch_add",
    "admin:raters_batch_delete",
    "admin:raters_erasure_delete",
    "admin:raters_invite_delete",
    "admin:raters_session_add",
    "admin:raters_session_delete",
    "admin:raters_verdict_add",
    "admin:raters_verdict_delete",
    "admin:studies_clip_add",
    "admin:studies_clip_delete",
    "admin:studies_question_add",
    "admin:studies_question_delete",
    "admin:studies_study_add",
    "admin:studies_study_change",
    "admin:studies_study_delete",
    "studies:questions_import",
    "studies:texts_import",
    "studies:upload",
    "admin:studies_studyversion_add",
    "admin:studies_studyversion_delete",
    "admin:view_on_site",
    "analysis:analysis_json",
    "api:analysis_document",
    "api:simulation",
    "analysis:analysis_plot",
    "analysis:dry_run_results",
    "analysis:export_detail",
    "analysis:export_download",
    "analysis:look_json",
    "analysis:report_html",
    "analysis:report_pdf",
    "analysis:report_tables",
    "api:analysis_results",
    "api:download",
    "api:export",
    "api:nowhere",
    "api:upload",
    "experts:audio",
    "experts:invitation",
    "members:invitation",
    "metrics",
    "paying:hook",
    "previews:phone",
    "styleguide",
}


def read(client: Client, address: str) -> tuple[int, int]:
    """Open an address, and return its status and the rows and index entries that it read."""
    before = rows_read()
    with transaction.atomic():
        response: Any = client.get(address)
        if response.streaming:
            response.getvalue()
        transaction.set_rollback(True)
    return response.status_code, rows_read() - before


def rows_read() -> int:
    with connection.cursor() as cursor:
        cursor.execute(READ)
        return int(cursor.fetchone()[0])


def compare_metric(study: Study) -> None:
    """Compare the study's metric with its listeners."""
    [metric] = metrics_queries.sets(study.pk)
    row, _is_due = comparing.request(first=metric, second=None, simulated=Simulated.WITHOUT, now=clock.now())
    assert comparing.compare(pk=row.pk, clock=clock.now)


def pages(clips: int, answers: int) -> dict[str, int]:
    """Return {name: rows read} of every address that somebody can open, in a study of this size."""
    study = make_study(Size(clips, answers, 60, 120, 0.1, "record"))
    add_history(study, sessions=answers // 10, batches=1, outcome="complete")
    add_queues(study, decided=answers // 10)
    root = User.objects.create_superuser("root")
    add_rows(study, clock.now())
    fill(study)
    compare_metric(study)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        # What a large table is read by; in one of a few thousand rows, PostgreSQL reads all.
        cursor.execute("SET LOCAL enable_seqscan = off")
    clients = [Client(), Client()]
    for client, user in zip(clients, (study.owner, root), strict=True):
        client.force_login(user)
        client.raise_request_exception = False
    shared = Shared(study, {}, clock.now())
    figures.compute(study, clock.now())
    counted: dict[str, int] = {}
    for name, route in routes():
        # Raters' own endpoints are measured by `tests.bench.flat`; the others are about no study.
        if name.startswith(("raters:", "admin:accounts_", "admin:auth_")):
            continue
        try:
            address = shared.address(name, route) + ("?limit=5" if name in SHORT else "")
        except KeyError:
            assert name in NOT_OPENED, name
            continue
        for client in clients:
            if name in SUMMARIES:
                client.get(address)
                for summary in Summary.objects.filter(state=jobs.QUEUED):
                    summaries.refresh(pk=summary.pk, clock=clock.now)
            status, number = read(client, address)
            if status == 200:
                counted[name] = number
                break
        else:
            assert status == 405 or name in NOT_OPENED, (name, status)
    return counted


def measured(size: tuple[int, int]) -> dict[str, int]:
    """Return the same, and leave nothing behind."""
    vacuum()
    with transaction.atomic():
        counted = pages(*size)
        transaction.set_rollback(True)
    return counted


def vacuum() -> None:
    """Take what was rolled back, here or in other tests, out of the indexes: it would be read on a first look."""
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
        other.execute("VACUUM")


def test_no_page_reads_more_rows_in_a_larger_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries, "QUICK", 10)
    monkeypatch.setattr(rows, "COUNTED", 10)
    small, large = measured(SMALL), measured(LARGE)
    assert set(small) == set(large)
    growing = {name for name, number in large.items() if number > MOST * small[name] + MORE}
    listed = "\n".join(f"{name}: {small[name]} rows, {large[name]} in the larger study" for name in sorted(growing))
    assert growing - {name for names in GROWING.values() for name in names} == set(), listed
