"""Let raters answer while web and worker containers are killed; compare what was acknowledged with what is stored.

`python -m tests.containers.crowd URL SLUG [--people N] [--answers N]`, for deploy/podman/try.
"""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
import time

from tests.processes.visitor import say

STORED = """
import json
from raters.models import Answer
print(json.dumps(dict((t, str(k)) for t, k in Answer.objects.values_list('trial__token', 'idempotency'))))
"""


def main() -> int:
    """Return 0 when nothing acknowledged is missing and nothing is stored that nobody was told of."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("slug")
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--answers", type=int, default=20)
    asked = parser.parse_args()
    command = [sys.executable, "-m", "tests.processes.visitor", asked.url, asked.slug]
    crowd = [
        subprocess.Popen(
            [*command, f"{secrets.token_hex(4)}-{number}", f"--answers={asked.answers}", "--patience=240"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for number in range(asked.people)
    ]  # fmt: skip
    for visitor in crowd:
        assert visitor.stdin is not None
        visitor.stdin.write("go\n")
        visitor.stdin.flush()
    for container in ("web", "worker", "web"):
        time.sleep(4)
        say(f"Killing {container} (SIGKILL) and starting it again")
        podman("kill", "--signal", "KILL", f"earshot_{container}_1")
        # With the container that it once waited for: podman refuses to start one alone.
        podman("start", "earshot_setup_1", f"earshot_{container}_1")
    seen = [json.loads(visitor.communicate(timeout=400)[0].splitlines()[-1]) for visitor in crowd]
    told = {token: key for each in seen for token, key in each["acknowledged"]}
    stored = json.loads(podman("exec", "earshot_web_1", "python", "manage.py", "shell", "--verbosity=0", "-c", STORED))
    lost = {token for token, key in told.items() if stored.get(token) != key}
    say(f"Acknowledged {len(told)}, lost of these {len(lost)}, stored {len(stored)}.")
    say(f"Requests sent again: {sum(each['resent'] for each in seen)}; ends: {[each['state'] for each in seen]}")
    return 1 if lost or len(told) < asked.people * asked.answers else 0


def podman(*arguments: str) -> str:
    """Run podman and return what it said."""
    return subprocess.run(["podman", *arguments], check=True, text=True, capture_output=True).stdout


if __name__ == "__main__":
    sys.exit(main())
