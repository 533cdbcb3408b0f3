"""A real nginx in front of a web server, by the site file of deploy/ with ports and paths of a test."""

from __future__ import annotations

import getpass
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.servers import ROOT, Child, Processes, free_port, listens, until

MAIN = """
daemon off;
pid {folder}/nginx.pid;
{user}
worker_processes 1;
error_log {folder}/main.log;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    default_type application/octet-stream;
    include {folder}/site.conf;
}}
"""
LISTENS = "listen 443 ssl http2;"


def start(
    processes: Processes,
    folder: Path,
    port: int,
    web: int,
    *,
    others: Sequence[int] = (),
) -> Child:
    """Start nginx on a port in front of a web server, and of others."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is not installed")
    folder.mkdir(parents=True)
    site = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    for here, there in (
        (LISTENS, f"listen 127.0.0.1:{port};"),
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ("server 127.0.0.1:8000;", "".join(f"server 127.0.0.1:{each};" for each in (web, *others))),
        ("ssl_certificate /etc/letsencrypt/live/listening.example.org/fullchain.pem;", ""),
        ("ssl_certificate_key /etc/letsencrypt/live/listening.example.org/privkey.pem;", ""),
        ("/var/log/nginx/earshot.log", f"{folder}/site.log"),
    ):
        assert here in site, here
        site = site.replace(here, there)
    (folder / "site.conf").write_text(site, encoding="utf-8")
    # Only root may choose another account for the workers, and is to choose its own.
    user = "user root;" if getpass.getuser() == "root" else ""
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user), encoding="utf-8")
    child = processes.start(program, "-c", str(folder / "nginx.conf"), "-e", str(folder / "main.log"))
    until(lambda: listens(port), f"nobody listens on port {port}", alive=child)
    return child
