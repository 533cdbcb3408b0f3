"""Exit 0 when the web process of this container answers and has its database."""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit


def main() -> int:
    """Ask as the proxy would, and say what fails; store and broker may be away: raters go on without."""
    host = urlsplit(os.environ.get("EARSHOT_BASE_URL", "http://127.0.0.1")).netloc
    address = f"http://127.0.0.1:{os.environ.get('PORT', '8000')}/readyz"
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers={"Host": host}), timeout=8):
            return 0
    except urllib.error.HTTPError as error:
        sys.stderr.write(f"{error.read().decode(errors='replace')}\n")
    except OSError as error:
        sys.stderr.write(f"The web process does not answer: {error}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
