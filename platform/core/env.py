"""Read settings from the environment and reject invalid values; crowd sources use it for their settings too."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

NUMBER = re.compile(r"[0-9]{1,7}(\.[0-9]{1,4})?", re.ASCII)
# Problems so far, between `begin` and `finish`; None where the first problem raises.
_problems: list[str] | None = None
# Problems that a system check reports later; `finish` adds them where it raises anyway.
_mentions: list[str] = []


def begin() -> None:
    """Start to collect problems, so that an operator sees all of them at once."""
    global _problems
    _problems = []
    _mentions.clear()


def finish() -> None:
    """Raise `ImproperlyConfigured` with every problem since `begin`, one sentence a line."""
    global _problems
    lines, _problems = list(dict.fromkeys(_problems or [])), None
    if lines:
        lines += _mentions
        raise ImproperlyConfigured("\n".join(lines if len(lines) == 1 else ["", *lines]))


def refuse(problem: str) -> None:
    """Report a problem with a setting; between `begin` and `finish`, the caller continues with a valid value."""
    if _problems is None:
        raise ImproperlyConfigured(problem)
    _problems.append(problem)


def mention(problem: str) -> None:
    """Add a problem that a system check reports later to those that `finish` raises, if it raises."""
    _mentions.append(problem)


def text(name: str, default: str = "") -> str:
    """Return a setting; `NAME_FILE` names a file that holds it, for secrets."""
    path = os.environ.get(f"{name}_FILE")
    if path is None:
        return os.environ.get(name, default)
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        refuse(f"{name}_FILE names {path}, which can't be read: {error.strerror}.")
        return default


def networks(name: str, default: str) -> list[str]:
    """Return a setting that lists networks, such as 10.0.0.0/8."""
    valid = []
    for word in words(name, default):
        try:
            valid.append(str(ip_network(word)))
        except ValueError:
            refuse(f"{name} names {word}, which is no network; write it like 10.0.0.0/8.")
    return valid


def flag(name: str, default: bool) -> bool:
    """Return a yes-or-no setting."""
    value = text(name, "1" if default else "0").lower()
    if value not in {"1", "true", "yes", "on", "0", "false", "no", "off", ""}:
        refuse(f"{name} is {value!r}; write 1 or 0.")
        return default
    return value in {"1", "true", "yes", "on"}


def number(name: str, default: int, *, least: int = 0) -> int:
    """Return a whole number."""
    value = text(name, str(default))
    try:
        parsed = int(value)
    except ValueError:
        refuse(f"{name} is {value!r}; write a whole number.")
        return default
    if parsed < least:
        refuse(f"{name} is {value}; it must be {least} or more.")
        return default
    return parsed


def numbers(name: str, defaults: Mapping[str, float]) -> dict[str, float | None]:
    """Return a number for each key: `8000` sets all, `generate=8000, blind=none` some; `none` means no number."""
    values: dict[str, float | None] = dict(defaults)
    for word in words(name):
        key, is_pair, value = (part.strip() for part in word.rpartition("="))
        keys = [key] if is_pair else list(defaults)
        if unknown := set(keys) - set(defaults):
            refuse(f"{name} names {', '.join(unknown)}; it can set {', '.join(defaults)}.")
            continue
        if value != "none" and not NUMBER.fullmatch(value):
            refuse(f"{name} has {value!r}; write a positive number or none.")
            continue
        kinds = {each: type(defaults[each]) for each in keys}
        values |= {each: None if value == "none" else kind(float(value)) for each, kind in kinds.items()}
    return values


def choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    """Return one of a few words."""
    value = text(name, default)
    if value not in choices:
        refuse(f"{name} is {value!r}; write {', '.join(choices[:-1])} or {choices[-1]}.")
        return default
    return value


def address(name: str, default: str = "", *, like: str = "https://store.example.org") -> str:
    """Return the address of a server, without a slash at its end; one without a default may be left out."""
    value = text(name, default).rstrip("/")
    try:
        parts = urlsplit(value)
        is_sound = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        is_sound = False
    if not is_sound and (value or default):
        refuse(f"{name} is {value!r}; write it like {like}.")
        return default
    return value


def words(name: str, default: str = "") -> list[str]:
    """Return a comma-separated list."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]
