from __future__ import annotations

import logging
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

import manage
from core import clock

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no offset outlive a test."""
    monkeypatch.setattr(clock, "_offset", timedelta(0))
    monkeypatch.setattr(clock, "_is_due", False)


def host_is(monkeypatch: pytest.MonkeyPatch, ahead: timedelta) -> datetime:
    """Set this host's clock wrong, and return the right time."""
    right = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: right() + ahead)
    return right()


@pytest.mark.postgres
@pytest.mark.django_db
@pytest.mark.parametrize("ahead", [HOUR, -HOUR], ids=["ahead", "behind"])
def test_the_time_is_the_database_s_on_a_host_whose_clock_is_wrong(
    monkeypatch: pytest.MonkeyPatch, ahead: timedelta
) -> None:
    began = host_is(monkeypatch, ahead)
    clock.compare()
    assert abs(clock.now() - began) < timedelta(minutes=1)
    assert abs(clock.offset() + ahead) < timedelta(minutes=1)


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_command_s_first_question_for_the_time_asks_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    began = host_is(monkeypatch, HOUR)
    monkeypatch.setattr("sys.argv", ["manage.py", "version"])
    manage.main()
    assert clock.offset() == timedelta(0)
    assert abs(clock.now() - began) < timedelta(minutes=1)


@pytest.mark.sqlite
def test_with_sqlite_the_host_s_clock_is_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    began = host_is(monkeypatch, HOUR)
    clock.follow()
    assert clock.offset() == timedelta(0)
    assert clock.now() - began >= HOUR


def test_a_small_difference_is_left_alone_and_a_large_one_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for seconds in (0.05, 3.0, 3.05, 0.01):
        monkeypatch.setattr(clock, "measure", lambda seconds=seconds: timedelta(seconds=seconds))
        clock.compare()
        seen.append(clock.offset().total_seconds())
    assert seen == [0, 3, 3, 0]


def test_while_the_database_can_t_be_asked_the_last_offset_holds(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def nobody() -> timedelta:
        raise OSError("nobody there")

    monkeypatch.setattr(clock, "_offset", HOUR)
    monkeypatch.setattr(clock, "measure", nobody)
    with caplog.at_level(logging.WARNING):
        clock.compare()
    assert clock.offset() == HOUR
    assert "nobody there" in caplog.text
