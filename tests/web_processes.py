"""Web processes that share a socket, in the process group of this one: one signal takes all of them away, unsupervised.

python -m tests.web_processes PORT APPLICATION
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from launcher import ports


def main() -> None:
    """Start as many as the settings say, and wait until they have ended."""
    listener = ports.listen("127.0.0.1", int(sys.argv[1]))
    environ = {**os.environ, "LAUNCHER_SOCKET": str(listener.fileno())}
    command = [sys.executable, "-m", "config.web", sys.argv[2]]
    count = int(environ.get("EARSHOT_WEB_WORKERS") or 2)
    processes = [subprocess.Popen(command, env=environ, pass_fds=[listener.fileno()]) for _ in range(count)]
    signal.signal(signal.SIGTERM, lambda *_: [process.terminate() for process in processes])
    sys.exit(max(process.wait() for process in processes))


if __name__ == "__main__":
    main()
