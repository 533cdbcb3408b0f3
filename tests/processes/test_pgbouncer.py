"""PgBouncer in front of PostgreSQL: nothing of Earshot's outlives a transaction in a session of the database."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection

from core import clock
from core.database import pooling
from core.jobs import DONE
from raters.models import Answer, Batch
from tests import pgbouncer
from tests.processes.crowd import invite, violations
from tests.servers import Processes, free_port, until
from tests.world import make_study

pytestmark = [pytest.mark.processes, pytest.mark.postgres, pytest.mark.pgbouncer, pytest.mark.broker]
PEOPLE, ANSWERS, BATCH = 3, 12, 10
FORGETS = "forgets prepared statements"


@pytest.mark.parametrize(("mode", "more"), [("session", ""), ("transaction", pgbouncer.FORGETFUL)])
def test_raters_answer_and_researchers_export_through_pgbouncer(
    processes: Processes, broker_url: str, tmp_path: Path, mode: str, more: str
) -> None:
    study = make_study(now=clock.now(), texts=40, flawed=6, humans=12, protocol__playback="record")
    through = pgbouncer.start(processes, tmp_path, mode, connection.settings_dict, more)
    processes.environment["EARSHOT_DATABASE_URL"] = through
    is_old = mode == "transaction" and pgbouncer.version() < pgbouncer.KEEPS_STATEMENTS
    application = "tests.processes.faulty.unprepared" if is_old else "config.wsgi"
    port = free_port()
    processes.web(port, application=application)
    # The worker's settings are those of the server: an old PgBouncer that pools transactions is not for it.
    if not is_old:
        processes.worker(broker_url)
    crowd = invite(processes, f"http://127.0.0.1:{port}", study.slug, people=PEOPLE, answers=ANSWERS)
    crowd.let_in()
    for seen in crowd.seen():
        assert seen["replies"] == [200] * (1 + ANSWERS), seen
    assert Answer.objects.count() == PEOPLE * ANSWERS
    assert violations(study) == []
    if is_old:
        return
    until(lambda: Batch.objects.filter(state=DONE).count() == PEOPLE, "the worker decided nothing")
    # They read tables by pages, and in chunks of one result.
    processes.manage("export_study", study.slug, "--out", str(tmp_path / "export"))
    processes.manage("backup", str(tmp_path / "backup.tar"))
    audit = processes.python("manage.py", "audit_study", study.slug)
    audit.process.wait()
    assert "clips are silent" in audit.said(), audit.said()


def test_the_doctor_says_whether_a_pooler_is_there_and_keeps_prepared_statements(
    processes: Processes, tmp_path: Path
) -> None:
    parts = ("--without", "broker", "--without", "address", "--without", "files")
    assert not pooling.is_pooled(connection)
    for mode in ("session", "transaction"):
        processes.environment["EARSHOT_DATABASE_URL"] = pgbouncer.start(
            processes, tmp_path, mode, connection.settings_dict
        )
        child = processes.python("manage.py", "doctor", *parts)
        forgets = mode == "transaction" and pgbouncer.version() < pgbouncer.KEEPS_STATEMENTS
        child.process.wait()
        assert (FORGETS in child.said()) == forgets, child.said()
        assert ("through a pooler" in child.said()) != forgets, child.said()
