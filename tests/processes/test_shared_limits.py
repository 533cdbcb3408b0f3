"""What is limited is counted by all web processes together."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.contrib.auth import get_user_model

from tests.processes.visitor import TOKEN, Browser
from tests.servers import Processes, free_port

pytestmark = pytest.mark.processes
PAGE = "/admin/login/"


def test_wrong_passwords_are_counted_by_all_web_processes_together(processes: Processes) -> None:
    get_user_model().objects.create_superuser("rosa", password="right")
    ports = [free_port() for _ in range(2)]
    for port in ports:
        # No broker: it has no part in this.
        processes.web(port, EARSHOT_WEB_WORKERS="1", EARSHOT_SIGN_IN_RATE="10", EARSHOT_BROKER_URL="")
    browsers = [Browser(f"http://127.0.0.1:{port}") for port in ports]
    statuses = []
    for number in range(14):
        browser = browsers[number % 2]
        token = TOKEN.search(browser.open(PAGE).text)
        assert token
        form = {"csrfmiddlewaretoken": token[1], "username": "rosa", "password": "wrong"}
        statuses.append(browser.send("POST", PAGE, urlencode(form)).status)
    assert statuses == [200] * 10 + [429] * 4
