"""The web process stays light: engines of statistics are for workers."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import config.wsgi
import config.urls
heavy = {"pandas", "scipy", "statsmodels", "matplotlib", "torch"} & set(sys.modules)
print(sorted(heavy))
"""


def test_the_web_process_starts_without_engines_of_statistics() -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[1:1] = ['.', 'platform']\n{CODE}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
