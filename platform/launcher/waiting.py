"""Wait until the processes that were started can be used."""

from __future__ import annotations

import http.client
import subprocess
import time
from urllib.parse import urlsplit

from core.paths import PROGRAM, ROOT
from launcher import prepare
from launcher.options import Options
from launcher.say import LauncherError, line
from launcher.supervisor import Supervisor

# A slow machine gets as long as it needs; a line is printed this often meanwhile.
STILL_SECONDS = 60.0
# Another machine's broker or store may start later than this one, after a power cut for example.
PARTS_SECONDS = 60


def wait_for_parts(environ: dict[str, str], supervisor: Supervisor, seconds: int = PARTS_SECONDS) -> None:
    """Wait for database, store and broker; the command says which one fails, and this what to do about it."""
    command = prepare.command("wait_for_parts", "--migrated", f"--seconds={seconds}")
    # Its messages are for people, like those of this program.
    with subprocess.Popen(command, cwd=ROOT, env=environ, stderr=subprocess.STDOUT) as process:
        try:
            while process.poll() is None:
                supervisor.look_after()
                time.sleep(0.1)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise LauncherError(
            "Earshot can't run without the part named above. Start it, or correct its address or its keys: "
            "EARSHOT_BROKER_URL, EARSHOT_S3_ENDPOINT for the files, EARSHOT_DATABASE_URL for the database "
            f"(docs/settings.md). '{PROGRAM} doctor' examines each of them."
        )


def wait_until_up(options: Options, base: str, supervisor: Supervisor) -> None:
    """Wait for the web pages to answer; fail if a child can't start."""
    last_line = time.monotonic()
    while not answers(options.host, options.port, str(urlsplit(base).hostname)):
        supervisor.look_after()
        if time.monotonic() > last_line + STILL_SECONDS:
            last_line = time.monotonic()
            line(f"still starting; its log is {options.data / 'logs' / 'web.log'}")
        time.sleep(0.1)


def answers(host: str, port: int, name: str) -> bool:
    """Return whether the health check answers; a redirect to HTTPS counts, too."""
    connection = http.client.HTTPConnection("127.0.0.1" if host == "0.0.0.0" else host, port, timeout=5)  # noqa: S104
    try:
        connection.request("GET", "/livez", headers={"Host": name})
        return connection.getresponse().status < 400
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
