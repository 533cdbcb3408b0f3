from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from core import env


def test_a_secret_may_lie_in_a_file(monkeypatch, tmp_path):
    (tmp_path / "key").write_text("from the file\n")
    monkeypatch.setenv("EARSHOT_X", "from the variable")
    assert env.text("EARSHOT_X") == "from the variable"
    monkeypatch.setenv("EARSHOT_X_FILE", str(tmp_path / "key"))
    assert env.text("EARSHOT_X") == "from the file"


def test_a_missing_secret_file_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("EARSHOT_X_FILE", str(tmp_path / "gone"))
    with pytest.raises(ImproperlyConfigured, match=r"EARSHOT_X_FILE names .*gone, which can't be read: No such file"):
        env.text("EARSHOT_X")


@pytest.mark.parametrize(("text", "value"), [("1", True), ("Yes", True), ("on", True), ("0", False), ("false", False)])
def test_yes_and_no_may_be_written_in_several_ways(monkeypatch, text, value):
    monkeypatch.setenv("EARSHOT_X", text)
    assert env.flag("EARSHOT_X", default=not value) is value


def test_a_setting_left_out_takes_its_default():
    assert env.flag("EARSHOT_X", default=True) is True
    assert env.number("EARSHOT_X", 7) == 7
    assert env.text("EARSHOT_X", "a") == "a"
    assert env.words("EARSHOT_X", "a, b,,c ") == ["a", "b", "c"]


def test_a_value_that_means_nothing_is_refused_and_named(monkeypatch):
    monkeypatch.setenv("EARSHOT_X", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="EARSHOT_X is 'perhaps'; write 1 or 0"):
        env.flag("EARSHOT_X", default=True)
    with pytest.raises(ImproperlyConfigured, match="EARSHOT_X is 'perhaps'; write a whole number"):
        env.number("EARSHOT_X", 1)
