"""Repeat recorded erasures after a database was restored without `restore`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from core import clock
from raters.privacy import erasing


class Command(BaseCommand):
    help = "Erase people again whom this database still contains after a restore; `restore` does this automatically."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{erasing.replay(clock=clock.now)} erasures were requested again.")
