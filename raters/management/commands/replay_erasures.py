"""Go through the list of erasures by hand: after a database was restored by other means than `restore`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from core import clock
from raters.privacy import erasing


class Command(BaseCommand):
    help = "Erase again whom this database still has, though they were erased; `restore` does this by itself."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{erasing.replay(clock=clock.now)} erasures were asked for again.")
