"""Check everything that a server needs, part by part: for `earshot doctor`, containers and *System status*."""

from __future__ import annotations

import shutil
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from core import clock, hooks, jobs
from core.database import pooling
from core.findings import OK, PROBLEM, WARNING, Finding
from core.operations import checks, health, keys, readiness, starting
from core.paths import PROGRAM, START

# A part that doesn't answer within this time is a problem, and doesn't delay the others.
SECONDS = 10.0
LITTLE_DISK = 5 << 30
# Difference from the database's clock above which times of answers can't be compared.
CLOCK_SECONDS = 2.0
CERTIFICATE_DAYS = 14
# The sweep finds rows that no message reached within seconds.
PATIENCE = timedelta(minutes=2)

Check = Callable[[], Iterable[Finding]]


def examine(without: Iterable[str] = ()) -> list[Finding]:
    """Return the findings of every part except those left out; a part that hangs becomes a finding."""
    # These run in this thread on its connection, which has its own time limits.
    here: dict[str, Check] = {"settings": config, "database": database}
    of_tables: dict[str, Check] = {"keys": server_keys, "clock": clocks, "worker": worker, "jobs": waiting_jobs}
    of_tables |= {each.name: each.findings for each in hooks.table_diagnoses}
    elsewhere: dict[str, Check] = {
        "files": lambda: part("files"),
        "broker": lambda: part("broker"),
        "data": data,
        "address": address,
        **{each.name: each.findings for each in hooks.diagnoses},
    }
    left_out = set(without)
    pool = ThreadPoolExecutor(len(elsewhere))
    deadline = time.monotonic() + SECONDS
    waiting = {name: pool.submit(_findings, name, check) for name, check in elsewhere.items() if name not in left_out}
    findings = [finding for name, check in here.items() if name not in left_out for finding in _findings(name, check)]
    # Without a database, each of these would wait as long and report the same.
    if ("database", PROBLEM) not in {(each.name, each.state) for each in findings}:
        findings += [
            each for name, check in of_tables.items() if name not in left_out for each in _findings(name, check)
        ]
    for name, future in waiting.items():
        try:
            findings += future.result(max(0.0, deadline - time.monotonic()))
        except TookTooLong:
            findings.append(Finding(name, PROBLEM, f"No answer within {SECONDS:.0f} s.", "Look at its log."))
    pool.shutdown(wait=False, cancel_futures=True)
    return findings


def _findings(name: str, check: Check) -> list[Finding]:
    """Run one check; an exception becomes a finding."""
    try:
        return list(check())
    except Exception as error:
        return [Finding(name, PROBLEM, f"{type(error).__name__}: {' '.join(str(error).split())}")]


def config() -> Iterator[Finding]:
    """Yield a finding for each invalid setting."""
    wrong = [sentence for _number, sentence in checks.sentences()]
    for sentence in wrong:
        yield Finding("settings", PROBLEM, sentence, "docs/settings.md")
    if not wrong:
        yield Finding("settings", OK, f"release {settings.VERSION}")
    if settings.DEBUG:
        yield Finding("settings", WARNING, "EARSHOT_DEBUG is on: pages show tracebacks.", "Unset EARSHOT_DEBUG.")


def database() -> Iterator[Finding]:
    """Yield whether the database accepts our login, has this release's tables and stores a row."""
    if fault := readiness.database_fault():
        yield Finding("database", PROBLEM, fault.message, "Correct EARSHOT_DATABASE_URL, or start the database.")
        return
    way = ", through a pooler of connections" if pooling.is_pooled(connection) else ""
    if way and not pooling.keeps_statements():
        text = "The pooler forgets prepared statements from one transaction to the next: requests fail at random."
        remedy = "In PgBouncer 1.21 or later, set max_prepared_statements = 200; in an older one, pool_mode = session."
        yield Finding("database", PROBLEM, text, remedy)
        return
    if missing := starting.missing_migrations():
        text = f"{missing} migrations of this release are not applied yet."
        yield Finding("database", PROBLEM, text, f"{PROGRAM} manage migrate")
        return
    health.database()
    yield Finding("database", OK, f"{connection.display_name}{way}: migrated; writing and reading work")
    for message in checks.connections_that_the_database_allows(None, databases=["default"]):
        yield Finding("database", WARNING, str(message.msg), str(message.hint))


def server_keys() -> Iterator[Finding]:
    """Yield whether this server's keys match the database."""
    wrong = keys.wrong()
    for sentence in wrong:
        yield Finding("keys", PROBLEM, sentence)
    if not wrong:
        yield Finding("keys", OK, "the secret key and the identity keys match this database")


def clocks() -> Iterator[Finding]:
    """Yield how far this host's clock differs from the database's."""
    if connection.vendor != "postgresql":
        yield Finding("clock", OK, "the database uses this host's clock")
        return
    offset = clock.measure().total_seconds()
    text = f"this host is {abs(offset):.2f} s {'behind' if offset > 0 else 'ahead of'} the database"
    state = WARNING if abs(offset) > CLOCK_SECONDS else OK
    yield Finding("clock", state, text, "Let both hosts set their clocks by NTP." if state == WARNING else "")


def worker() -> Iterator[Finding]:
    """Yield whether a worker has looked for work lately; beat asks for it every few seconds."""
    quiet = health.silence()
    if health.is_worker_silent():
        text = "No worker has looked for work yet: it or beat is stopped or hangs."
        if quiet is not None:
            minutes = quiet // timedelta(minutes=1)
            text = f"No worker has looked for work for {minutes} minutes: it or beat is stopped or hangs."
        remedy = f"Start both ({START}, or the containers worker and beat), or restart them and look at their logs."
        yield Finding("worker", PROBLEM, text, remedy)
    elif quiet is None:
        yield Finding("worker", OK, "no worker has looked for work in this database yet")
    else:
        yield Finding("worker", OK, "a worker has looked for work within the last two minutes")


def waiting_jobs() -> Iterator[Finding]:
    """Yield whether workers take queued jobs: a broker that answers doesn't prove that a worker listens."""
    now = clock.now()
    since = [moment for model in jobs.job_models() if (moment := jobs.waiting_since(model, now)) is not None]
    if since and now - min(since) > PATIENCE:
        text = f"Work has waited since {min(since):%Y-%m-%d %H:%M} UTC: no worker is running, or all are busy."
        remedy = f"Start a worker ({START} --only worker, or the container worker), or look at its log."
        yield Finding("jobs", WARNING, text, remedy)
    else:
        yield Finding("jobs", OK, "no work has waited for longer than two minutes")


def part(name: str) -> Iterator[Finding]:
    """Yield whether the store or the broker returns what was written."""
    check = health.checks().get(name)
    if check is None:
        yield Finding(name, WARNING, "EARSHOT_BROKER_URL is not set: nothing works in the background.", "Set it.")
        return
    try:
        check()
    except Exception as error:
        message = readiness.hopeless(name, error) or f"{type(error).__name__}: {' '.join(str(error).split())}"
        yield Finding(name, PROBLEM, message, "Start Valkey or Redis." if name == "broker" else _store_remedy())
        return
    where = {"files": settings.S3_BUCKET or str(settings.DATA / "files"), "broker": "reachable"}[name]
    yield Finding(name, OK, f"{where}: writing and reading work")


def _store_remedy() -> str:
    """Return what to do when the store for new files fails."""
    if settings.STORE == "folder":
        return f"Allow Earshot's account to write to {settings.DATA / 'files'}, and free space on its disk."
    return "Look at the store's log."


def data() -> Iterator[Finding]:
    """Yield whether the data folder has enough space."""
    free = shutil.disk_usage(settings.DATA).free
    state = WARNING if free < LITTLE_DISK else OK
    remedy = "Free some space: imports and exports need it." if state == WARNING else ""
    yield Finding("data", state, f"{free / (1 << 30):.1f} GiB free in {settings.DATA}", remedy)


def address() -> Iterator[Finding]:
    """Yield whether raters elsewhere can reach the base URL, and how long its certificate lasts."""
    parts = urlsplit(settings.BASE_URL)
    host = str(parts.hostname)
    if host in {"127.0.0.1", "localhost", "::1"}:
        remedy = "Set EARSHOT_BASE_URL=https://… before you invite raters."
        yield Finding("address", WARNING, f"{settings.BASE_URL} can be reached only from this machine.", remedy)
        return
    if parts.scheme != "https":
        remedy = "Put a proxy with HTTPS in front (docs/deployment.md)."
        yield Finding(
            "address", WARNING, f"{settings.BASE_URL} is plain HTTP: others on the network can read answers.", remedy
        )
        return
    yield certificate(host, parts.port or 443)


def certificate(host: str, port: int) -> Finding:
    """Return how long the certificate of the proxy remains valid."""
    try:
        with (
            socket.create_connection((host, port), timeout=5) as plain,
            ssl.create_default_context().wrap_socket(plain, server_hostname=host) as secured,
        ):
            ends = ssl.cert_time_to_seconds(str((secured.getpeercert() or {})["notAfter"]))
    except OSError as error:
        why = getattr(error, "verify_message", "") or error.strerror or str(error)
        remedy = "Look at the proxy, its certificate, and the name's address in DNS."
        return Finding("TLS", PROBLEM, f"https://{host} can't be reached from here: {why}.", remedy)
    left = int((ends - time.time()) / 86_400)
    remedy = "Renew it: the proxy should do so automatically." if left < CERTIFICATE_DAYS else ""
    return Finding("TLS", WARNING if remedy else OK, f"the certificate of {host} is valid for {left} more days", remedy)
