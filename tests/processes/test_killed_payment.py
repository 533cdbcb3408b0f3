"""A worker is killed while Prolific pays; and the stand-in for Prolific is started by hand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from core import clock
from core.jobs import DONE
from demo.prolific.people import STUDY
from raters.models import Batch, PaymentList
from raters.sources.client.prolific import ProlificClient
from raters.sources.client.transport import PlatformTransport
from tests.raters.payments.fake import TOKEN
from tests.raters.payments.world import World, make, states
from tests.servers import Child, Processes, free_port, until

pytestmark = pytest.mark.processes
WORK = """
import sys, django
django.setup()
from core import clock
from raters.payments import sending
sending.carry_out(pk=int(sys.argv[1]), clock=clock.now)
"""


class Silent(WSGIRequestHandler):
    """Writes nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (as its parent calls it)
        """Say nothing."""


@pytest.fixture
def world(transactional_db: None) -> World:
    made = make(clock.now(), payment__rate=3, payment__bonus_per_valid_batch=0.5)
    for name in ("ann", "bob"):
        session = made.finish(name).session
        Batch.objects.create(session=session, number=1, size=10, state=DONE, valid=True, opened_at=made.now)
    made.read()
    return made


@pytest.fixture
def paying(world: World) -> Iterator[tuple[str, threading.Event, threading.Event]]:
    """Serve the stand-in; yield its address, what is set when it has paid, and what lets it answer then."""
    has_paid, may_answer = threading.Event(), threading.Event()

    def hold(method: str, path: str) -> None:
        if path.endswith("/pay/"):
            has_paid.set()
            may_answer.wait(60)

    world.fake.server.after = hold
    with make_server("127.0.0.1", 0, world.fake.server, handler_class=Silent) as httpd:
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}", has_paid, may_answer
        may_answer.set()
        httpd.shutdown()
        thread.join()


def test_crowd_06_a_worker_killed_between_its_word_and_the_answer_pays_nobody_twice(
    processes: Processes, world: World, paying: tuple[str, threading.Event, threading.Event]
) -> None:
    url, has_paid, may_answer = paying
    listed = world.confirm(world.prepare("bonus"))

    def worker() -> Child:
        return processes.python("-c", WORK, str(listed.pk), EARSHOT_PROLIFIC_API=url, EARSHOT_PROLIFIC_TOKEN=TOKEN)

    first = worker()
    until(has_paid.is_set, "nobody was paid", alive=first)
    first.kill()
    may_answer.set()
    assert states(listed) == ["sending"] * 2
    PaymentList.objects.update(lease_until=clock.now() - timedelta(seconds=1))
    for _turn in range(2):
        worker().finish()
    assert states(listed) == ["unclear"] * 2
    assert len(world.fake.account.paid) == 1
    assert [each.bonuses for each in world.fake.account.submissions.values()] == [[50], [50]]


def test_the_stand_in_for_prolific_is_started_by_one_command(processes: Processes) -> None:
    port = free_port()
    command = ("manage.py", "fake_prolific", "--port", str(port), "--submissions", "41")
    child = processes.python(*command)
    until(lambda: STUDY in child.said(), "it never said what to link", alive=child)
    with closing(ProlificClient(PlatformTransport(f"http://127.0.0.1:{port}", "fake"))) as api:
        places = list(api.submissions(STUDY))
        api.approve(places[0].id)
        assert len(places) == 41
        assert api.submission(places[0].id).state == "approved"
