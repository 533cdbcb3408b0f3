"""Print the three links to open first."""

from __future__ import annotations

import secrets
import shlex
from urllib.parse import urlencode

SLUG = "demo"


def text(base: str, *, demo: bool, password: str, data: str = "") -> list[str]:
    """Return the lines to print once everything runs; `data` is the folder if it isn't the default."""
    change = f"./run {f'--data {shlex.quote(data)} ' if data else ''}manage changepassword admin"
    login = (
        f"user admin, password {password}   (shown this once; {change} sets another)"
        if password
        else f"user admin (forgotten the password? {change})"
    )
    lines = ["Earshot is running.", "", f"  Researcher   {base}/admin/", f"               {login}"]
    if demo:
        lines += [
            f"  Rater        {base}/s/{SLUG}/?{visitor()}",
            f"  Demo study   {base}/studies/{SLUG}/results/?simulated=with",
        ]
    return [*lines, "", "Ctrl-C stops everything."]


def visitor() -> str:
    """Return the query that Prolific would add to a link, for an invented person."""
    return urlencode({name: secrets.token_hex(12) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")})
