"""The parent of a container's one process, which restarts it when it dies or hangs.

`python -m launcher.contained NAME COMMAND…` passes a request to stop on and ends with it. Docker restarts what ended,
but neither what hangs nor what is only unhealthy.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from launcher.children import Child
from launcher.interrupts import Interrupts
from launcher.say import LauncherError, line
from launcher.supervisor import Supervisor

# Less than the container's own time to stop.
PATIENCE = 25.0


def main() -> int:
    """Run the command until asked to stop; return 1 if it dies again and again."""
    name, *command = sys.argv[1:]
    interrupts = Interrupts()
    interrupts.listen()
    supervisor = Supervisor(None, dict(os.environ), interrupts)
    alive = Path(tempfile.gettempdir()) / f"{name}.alive"
    try:
        supervisor.start(Child(name, tuple(command), PATIENCE, alive))
        while True:
            supervisor.look_after()
            time.sleep(0.5)
    except LauncherError as problem:
        line(str(problem))
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        supervisor.stop()


if __name__ == "__main__":
    sys.exit(main())
