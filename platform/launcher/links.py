"""Print the three links to open first."""

from __future__ import annotations

import secrets
import shlex
from urllib.parse import urlencode

from core.paths import PROGRAM, default_data
from launcher.options import Options

SLUG = "demo"


def text(options: Options, base: str, password: str) -> list[str]:
    """Return the lines to print once everything runs; `password` is empty if there was one before."""
    data = "" if options.data == default_data() else f"--data {shlex.quote(str(options.data))} "
    change = f"{PROGRAM} {data}manage changepassword admin"
    login = (
        f"user admin, password {password}   (shown this once; {change} sets another)"
        if password
        else f"user admin (forgotten the password? {change})"
    )
    lines = ["Earshot is running.", "", f"  Researcher   {base}/studies/", f"               {login}"]
    if options.demo:
        lines += [
            f"  Rater        {base}/s/{SLUG}/?{visitor()}",
            f"  Demo study   {base}/studies/{SLUG}/results/?simulated=with",
        ]
    return [*lines, "", "Ctrl-C stops everything."]


def visitor() -> str:
    """Return the query that Prolific would add to a link, for an invented person."""
    return urlencode({name: secrets.token_hex(12) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")})
