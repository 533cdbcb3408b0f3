from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db


def test_a_process_begins_at_once_where_everything_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("wait_for_parts", migrated=True, seconds=5)
    assert capsys.readouterr().err == ""


def test_a_process_waits_for_the_tables_of_its_release_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    MigrationRecorder.Migration.objects.filter(app="analysis").order_by("-pk")[0].delete()
    with pytest.raises(CommandError, match="Failed after 0 s of waiting for the tables of this release"):
        call_command("wait_for_parts", migrated=True, seconds=0)
    assert capsys.readouterr().err == "Waiting for the tables of this release (the setup process makes them).\n"
    call_command("wait_for_parts", seconds=0)


def test_a_process_says_which_part_it_waits_for(settings: Any, tmp_path: Any) -> None:
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/none.sock"
    with pytest.raises(CommandError, match="waiting for the broker"):
        call_command("wait_for_parts", migrated=True, seconds=0)


def test_without_a_bucket_there_is_nothing_to_make(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ensure_bucket")
    assert "no bucket is needed" in capsys.readouterr().out
