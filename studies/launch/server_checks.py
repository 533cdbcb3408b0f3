"""Launch checks of the server: the store accepts files, broker and workers run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from django.utils.translation import gettext as _

from core.findings import OK, Finding
from core.operations import doctor
from studies.hooks import LaunchFinding

# The page waits no longer for a part that hangs.
SECONDS = 3.0


def findings() -> Iterator[LaunchFinding]:
    """Yield findings about the store, the broker and the workers.

    They never block: a launch only writes to the database, and a server may be restarted.
    """
    pool = ThreadPoolExecutor(2)
    # These checks read no tables, so each may run in its own thread.
    store = pool.submit(_works, lambda: doctor.part("files"))
    broker = pool.submit(_works, lambda: doctor.part("broker"))
    yield _said(
        _answered(store.result), _("The file store works."), _("The file store doesn’t work: see System status.")
    )
    yield _said(
        _answered(broker.result),
        _("The broker works: background work can be sent."),
        _("The broker doesn’t work, so background work waits: see System status."),
    )
    yield _said(
        _works(doctor.waiting_jobs),
        _("Workers keep up: no work has waited for longer than two minutes."),
        _("Work has waited for longer than two minutes: no worker or scheduler is running, or all are busy. "
          "See System status."),
    )  # fmt: skip
    pool.shutdown(wait=False, cancel_futures=True)


def _works(check: Callable[[], Iterable[Finding]]) -> bool:
    return all(finding.state == OK for finding in check())


def _answered(result: Callable[[float], bool]) -> bool:
    """Return a check's result; a slow check counts as failed."""
    try:
        return result(SECONDS)
    except TimeoutError:
        return False


def _said(works: bool, fine: str, problem: str) -> LaunchFinding:
    return LaunchFinding("note", fine, "status") if works else LaunchFinding("warning", problem, "status")
