"""Every line that a worker and a beat log is JSON where that was asked for, from their first moment and in trouble."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from launcher.children import children
from launcher.options import Options
from tests.servers import Processes, free_port, until

pytestmark = pytest.mark.processes


@pytest.mark.parametrize("name", ["worker", "beat"])
def test_each_line_is_json_though_the_broker_is_away(processes: Processes, tmp_path: Path, name: str) -> None:
    address = f"redis://:a-password@127.0.0.1:{free_port()}/0"
    [child] = [
        child for child in children(Options(tmp_path), {"EARSHOT_BROKER_URL": address}, None) if child.name == name
    ]
    process = processes.start(*child.command, EARSHOT_BROKER_URL=address, EARSHOT_LOG_FORMAT="json")
    until(lambda: process.said().count("rying again") >= 2, "the broker is not tried again", alive=process)
    lines = [line for line in process.said().splitlines() if line.strip()]
    told = [json.loads(line) for line in lines]
    assert all({"time", "level", "logger", "message"} <= set(line) for line in told)
    assert re.search(r"Connection refused", " ".join(line["message"] for line in told))
    assert "a-password" not in process.said()
