"""`quick_progress`: write how many listeners have finished into a file, until it is stopped."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from quick import answers, request

SECONDS = 1.0


class Command(BaseCommand):
    help = "Count the listeners of a quick test who have finished; started by `earshot quick`."

    def handle(self, *args: Any, **options: Any) -> None:
        kept = request.load()
        path = settings.DATA / "quick-finished"
        while True:
            draft = path.with_suffix(".new")
            draft.write_text(str(len(answers.complete_sessions(kept))), encoding="utf-8")
            draft.replace(path)
            time.sleep(SECONDS)
