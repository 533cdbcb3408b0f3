"""Import Earshot from its folders, which are in this package in a wheel and next to it in a clone, and run it."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Carry out the command line."""
    package = Path(__file__).resolve().parent
    root = package if (package / "platform").is_dir() else package.parent
    sys.path[:0] = [str(root), str(root / "platform")]
    from launcher import __main__ as launcher

    return launcher.main()


if __name__ == "__main__":
    sys.exit(main())
