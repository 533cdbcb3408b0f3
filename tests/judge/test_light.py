"""The web process and the workers never ask for a model framework, nor for the judge's own process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from core.paths import ROOT

# Whoever asks for one of these is written down, whether it is installed or not.
WATCH = """
import sys
sys.path[1:1] = ['.', 'platform']
HEAVY = ('torch', 'transformers', 'peft', 'fastapi', 'judge.server', 'judge.train')
asked = []
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name in HEAVY or name.startswith(tuple(f'{each}.' for each in HEAVY)):
            asked.append(name)
        return None
sys.meta_path.insert(0, Watch())
"""
WEB = """
import config.wsgi
from django.urls import get_resolver
def walk(patterns):
    for each in patterns:
        walk(each.url_patterns) if hasattr(each, 'url_patterns') else each.callback
walk(get_resolver().url_patterns)
"""
WORKER = """
import config.celery
config.celery.app.loader.import_default_modules()
import judge.runs.run_jobs, judge.runs.parity, judge.client.configured, judge.client.vllm
import judge.management.commands.judge_study, judge.management.commands.judge_parity
"""
TELL = "print(sorted(set(asked)), bool({'judge.runs.views'} & set(sys.modules)))"


def asked_for(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", WATCH + code + TELL], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_web_process_with_all_its_pages_asks_for_none() -> None:
    assert asked_for(WEB) == "[] True"


def test_a_worker_with_all_its_tasks_asks_for_none() -> None:
    assert asked_for(WORKER).startswith("[] ")


@pytest.mark.parametrize("code", ["try:\n    import torch\nexcept ImportError:\n    pass\n", "import judge.server\n"])
def test_the_watch_sees_who_asks(code: str) -> None:
    assert not asked_for(code).startswith("[] ")
