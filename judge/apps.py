from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from launcher.findings import Finding


class JudgeConfig(AppConfig):
    name = "judge"

    def ready(self) -> None:
        from core import hooks as core_hooks
        from judge.selectors import launching, panel
        from studies import hooks

        core_hooks.diagnoses["judge"] = examine
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Judge")), "judge:judge"))
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Pre-screening")), "judge:prescreening"))
        hooks.launch_checks.register(launching.findings)
        hooks.study_panels.register(hooks.StudyPanel(cast(str, _("Before people listen")), panel.render))


def examine() -> Iterator[Finding]:
    """Yield whether the judge that the settings name answers."""
    from judge.client import configured
    from judge.client.transport import BRIEF
    from judge.problems import Misconfigured, Unavailable
    from launcher.findings import OK, PROBLEM, Finding

    if not configured.is_configured():
        yield Finding("judge", OK, "none is set; studies work without one")
        return
    judge = configured.judge(BRIEF)
    try:
        yield Finding("judge", OK, f"{judge.info().engine} answers at {settings.JUDGE_URL}")
    except (Misconfigured, Unavailable) as error:
        yield Finding("judge", PROBLEM, str(error), "Start the judge, or correct EARSHOT_JUDGE_URL (docs/judge.md).")
    finally:
        judge.close()
