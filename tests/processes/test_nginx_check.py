"""The doctor asks nginx for a file, and names the line of its site that is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session

from core import hooks
from launcher.findings import Finding
from raters.rating import nginx_check
from tests import nginx
from tests.processes.visitor import Browser
from tests.servers import Processes, free_port
from tests.settings import SCRATCH

pytestmark = [pytest.mark.processes, pytest.mark.nginx]
LOCATION = "location /sent-by-nginx/ {"
ALIAS = "alias /var/lib/earshot/files/;"
REPORTS = "access_log syslog:server=unix:/var/lib/earshot/sent.socket,tag=earshot,nohostname earshot;"
LOGGED = "$upstream_http_x_earshot_clip $status $body_bytes_sent $sent_http_content_range"
# A mistake in nginx's site, and what the doctor says of it.
FAULTS = {
    "location": (LOCATION, "location /another/ {", "doesn't know /sent-by-nginx/", LOCATION),
    "folder": (ALIAS, "alias /var/lib/elsewhere/;", "in another folder", f"alias {SCRATCH}/files/;"),
    "silent": (REPORTS, "", "reports don't arrive", f"unix:{SCRATCH}/sent.socket,tag=earshot,nohostname earshot;"),
    "format": (LOGGED, "$status", "reports don't arrive", "log_format"),
}


class Site:
    """A web server, and an nginx that is to be in front of it."""

    def __init__(self, processes: Processes, folder: Path) -> None:
        self.processes, self.folder, self.port, self.web = processes, folder, free_port(), free_port()
        address = f"http://127.0.0.1:{self.port}"
        self.settings = {"EARSHOT_BASE_URL": address, "EARSHOT_BEHIND_PROXY": "1", "EARSHOT_SENDFILE": "nginx"}
        processes.web(self.web, **self.settings)
        # It listens before it can answer.
        assert Browser(f"http://127.0.0.1:{self.web}").send("GET", "/livez").status == 200

    def findings_with(self, name: str, *fault: str) -> Finding:
        """Return what the doctor finds about nginx with this mistake in its site."""
        here, there = fault or ("", "")
        child = nginx.start(self.processes, self.folder / name, self.port, self.web, SCRATCH, fault=(here, there))
        finding = self.examine()
        child.kill()
        return finding

    def examine(self) -> Finding:
        [finding] = nginx_check.examine()
        return finding


def test_the_doctor_names_the_line_of_nginx_that_is_wrong(processes: Processes, settings: Any, tmp_path: Path) -> None:
    site = Site(processes, tmp_path)
    settings.BASE_URL, settings.SENDFILE = site.settings["EARSHOT_BASE_URL"], True
    assert nginx_check.examine in [each.findings for each in hooks.diagnoses]
    right = site.findings_with("right")
    assert (right.state, right.message) == ("ok", "it sends clips and reports what it sent")
    for name, (here, there, message, remedy) in FAULTS.items():
        finding = site.findings_with(name, here, there)
        assert (finding.state, message in finding.message, remedy in finding.remedy) == ("problem", True, True), finding
    away = site.examine()
    assert (away.state, "gives no answer" in away.message) == ("problem", True)
    assert not Session.objects.filter(pk__startswith="earshot-nginx").exists()
    assert [path for path in (SCRATCH / "files" / "health").rglob("*") if path.is_file()] == []


def test_nobody_without_the_key_can_ask_for_a_file(processes: Processes, tmp_path: Path) -> None:
    site = Site(processes, tmp_path)
    nginx.start(processes, tmp_path / "nginx", site.port, site.web, SCRATCH)
    browser = Browser(site.settings["EARSHOT_BASE_URL"])
    for token in ("x", "WyJoZWFsdGgveCIsIDFd:1tAAAA:c2lnbmF0dXJl"):
        assert browser.send("GET", f"/proxy-check/{token}").status == 404
