"""A rater's page behind an nginx that sends the clips, one of whose reports is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from raters.models import Answer, TrialClip
from tests import nginx
from tests.browser.steps import begin, fill, is_at, listen, make_study, rate, save
from tests.processes.conftest import processes  # noqa: F401  (a fixture)
from tests.servers import Processes, free_port
from tests.settings import SCRATCH

pytestmark = [pytest.mark.nginx, pytest.mark.processes, pytest.mark.django_db(transaction=True)]


def test_a_clip_whose_report_was_lost_is_fetched_again_and_the_answer_is_saved(
    browser: Browser,
    processes: Processes,  # noqa: F811
    tmp_path: Path,
) -> None:
    study, port, web = make_study(), free_port(), free_port()
    address = f"http://127.0.0.1:{port}"
    processes.web(web, EARSHOT_BASE_URL=address, EARSHOT_BEHIND_PROXY="1", EARSHOT_SENDFILE="nginx")
    nginx.start(processes, tmp_path / "nginx", port, web, SCRATCH)
    socket, hidden = SCRATCH / "sent.socket", SCRATCH / "hidden.socket"
    window = browser.new_context(base_url=address)
    page = window.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/audio/" in request.url else None)
    socket.rename(hidden)
    begin(page, study)
    listen(page)
    clip = TrialClip.objects.get(trial__position=1)
    assert (clip.sent, clip.fetched_at) == ([], None), "nobody has reported anything"
    hidden.rename(socket)
    fill(page)
    save(page)
    is_at(page, 2)
    clip.refresh_from_db()
    assert clip.fetched_at is not None
    assert sum(clip.key in url for url in asked) >= 2, "it was fetched again"
    rate(page)
    is_at(page, 3)
    assert Answer.objects.count() == 2
    window.close()
