"""A web server that holds up the requests of one study until a file is there."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from config.wsgi import application as product

FREE = Path(os.environ["EARSHOT_TEST_FREE"])


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    while environ["PATH_INFO"].startswith("/rate/held-up/") and not FREE.exists():
        time.sleep(0.01)
    answered: Iterable[bytes] = product(environ, start_response)
    return answered
