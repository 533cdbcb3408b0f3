"""The three addresses to open first."""

from __future__ import annotations

import secrets
from urllib.parse import urlencode

SLUG = "demo"


def text(base: str, *, demo: bool, password: str) -> list[str]:
    """Return the lines to print once everything answers."""
    login = (
        f"user admin, password {password}   (shown this once; ./run manage changepassword admin sets another)"
        if password
        else "user admin (forgotten the password? ./run manage changepassword admin)"
    )
    lines = ["Earshot is running.", "", f"  Researcher   {base}/admin/", f"               {login}"]
    if demo:
        lines += [
            f"  Rater        {base}/s/{SLUG}/?{visitor()}",
            f"  Demo study   {base}/studies/{SLUG}/?simulated=with",
        ]
    return [*lines, "", "Ctrl-C stops everything."]


def visitor() -> str:
    """Return the query that Prolific would add to a link, for a made-up person."""
    return urlencode({name: secrets.token_hex(12) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")})
