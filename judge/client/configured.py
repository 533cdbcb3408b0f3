"""The judge named in the settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings

from core.findings import OK, PROBLEM, Finding
from judge.client.contract import JudgeClient
from judge.client.earshot import EarshotJudge
from judge.client.transport import BRIEF, JudgeTransport, Patience
from judge.client.vllm import VllmJudge
from judge.problems import Misconfigured, Unavailable
from judge.profiles import load

ENGINES = ("earshot", "vllm")


def is_configured() -> bool:
    """True if the settings name a judge, whether or not it answers."""
    return bool(settings.JUDGE_URL)


def judge(patience: Patience | None = None) -> JudgeClient:
    """Return a client of the judge in the settings; raises `Misconfigured` without one."""
    if not is_configured():
        raise Misconfigured("No judge is set up: EARSHOT_JUDGE_URL is empty.")
    return client(settings.JUDGE_ENGINE, settings.JUDGE_URL, patience=patience)


def client(
    engine: str, url: str, *, token: str | None = None, patience: Patience | None = None, **more: Any
) -> JudgeClient:
    """Return a client of the judge at `url`, with defaults from the settings. Sends no request."""
    transport = JudgeTransport(url, settings.JUDGE_TOKEN if token is None else token, patience, **more)
    if engine == "earshot":
        return EarshotJudge(transport)
    if engine == "vllm":
        profile = load(settings.JUDGE_PROFILE or "att")
        return VllmJudge(transport, profile, weights=settings.JUDGE_WEIGHTS, model=settings.JUDGE_MODEL)
    raise Misconfigured(f"There is no engine {engine!r}; there are {' and '.join(ENGINES)}.")


def usual_profile() -> str:
    """Return the default profile of runs; empty means the judge's first."""
    # For vLLM, the setting may be a file, and its client has a single profile.
    return str(settings.JUDGE_PROFILE) if settings.JUDGE_ENGINE == "earshot" else ""


def examine() -> Iterator[Finding]:
    """Check that the judge in the settings answers."""
    if not is_configured():
        yield Finding("judge", OK, "none is set; studies work without one")
        return
    client_of_judge = judge(BRIEF)
    try:
        yield Finding("judge", OK, f"{client_of_judge.info().engine} answers at {settings.JUDGE_URL}")
    except (Misconfigured, Unavailable) as error:
        yield Finding("judge", PROBLEM, str(error), "Start the judge, or correct EARSHOT_JUDGE_URL (docs/judge.md).")
    finally:
        client_of_judge.close()
