"""Copies on the disk: served only when sound, bounded, and shared by processes."""

from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import pytest

from core.files.cache import DiskCache

SOUND = b"RIFF" + bytes(996)


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path / "cache", 16_000)


def keep(cache: DiskCache, name: str, content: bytes = SOUND) -> bytes:
    with cache.keep(name, len(content), io.BytesIO(content)) as file:
        return file.read(len(content))


def held(cache: DiskCache, name: str, size: int = len(SOUND)) -> bytes | None:
    file = cache.open(name, size)
    if file is None:
        return None
    with file:
        return file.read(size)


def total(cache: DiskCache) -> int:
    return sum(path.stat().st_size for path in cache.folder.glob("*.entry"))


def test_what_was_kept_is_given_back_and_nobody_else_may_read_it(cache: DiskCache) -> None:
    assert held(cache, "a") is None
    assert keep(cache, "a") == SOUND
    assert held(cache, "a") == SOUND
    assert cache.has("a")
    [entry] = cache.folder.glob("*.entry")
    assert entry.stat().st_mode & 0o777 == 0o600
    assert "a" not in entry.stem.split("/")


@pytest.mark.parametrize("spoil", ["cut", "bit", "longer", "empty"])
def test_a_spoiled_copy_is_thrown_away_and_never_served(cache: DiskCache, spoil: str) -> None:
    keep(cache, "a")
    [entry] = cache.folder.glob("*.entry")
    whole = entry.read_bytes()
    entry.write_bytes({"cut": whole[:-40], "bit": b"X" + whole[1:], "longer": whole + b"x", "empty": b""}[spoil])
    assert held(cache, "a") is None
    assert not entry.exists()
    assert keep(cache, "a") == SOUND


def test_a_copy_of_one_file_is_never_taken_for_another(cache: DiskCache) -> None:
    keep(cache, "a")
    [first] = cache.folder.glob("*.entry")
    keep(cache, "b", b"x" * len(SOUND))
    [second] = set(cache.folder.glob("*.entry")) - {first}
    os.replace(first, second)
    assert held(cache, "b") is None


def test_what_was_used_longest_ago_goes_and_the_folder_stays_below_its_limit(cache: DiskCache) -> None:
    for number in range(40):
        keep(cache, str(number))
        for path in cache.folder.glob("*.entry"):
            # A second's work apart each.
            about = path.stat()
            os.utime(path, (about.st_atime - 1, about.st_mtime - 1))
        assert held(cache, "0") == SOUND, "what is used again and again stays"
        assert total(cache) <= cache.limit
    kept = [number for number in range(40) if cache.has(str(number))]
    assert kept[0] == 0
    assert kept[1:] == list(range(40 - len(kept) + 1, 40))
    assert len(kept) >= 12


def test_writers_side_by_side_leave_whole_copies_within_the_limit(cache: DiskCache) -> None:
    caches = [DiskCache(cache.folder, cache.limit) for _ in range(4)]

    def work(number: int) -> bytes:
        return keep(caches[number % 4], str(number % 25), bytes([number % 25]) * 1000)

    with ThreadPoolExecutor(8) as threads:
        came = list(threads.map(work, range(200)))
    assert came == [bytes([number % 25]) * 1000 for number in range(200)]
    cache.shrink()
    assert total(cache) <= cache.limit
    assert all(held(cache, str(number)) in (None, bytes([number]) * 1000) for number in range(25))
    assert not list(cache.folder.glob("*.unfinished"))


def test_what_a_killed_writer_left_goes_after_an_hour(cache: DiskCache) -> None:
    keep(cache, "a")
    old, new = cache.folder / "old.unfinished", cache.folder / "new.unfinished"
    for path in (old, new):
        path.write_bytes(bytes(cache.limit))
    os.utime(old, (1, 1))
    cache.shrink()
    assert (old.exists(), new.exists(), cache.has("a")) == (False, True, True)


def test_a_disk_that_takes_nothing_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    assert keep(DiskCache(tmp_path / "cache", 16_000), "a") == SOUND


@pytest.mark.parametrize("content", [SOUND[:500], SOUND * 3])
def test_a_file_of_another_size_or_too_large_is_passed_on_and_not_kept(cache: DiskCache, content: bytes) -> None:
    size = len(SOUND) if len(content) < len(SOUND) else len(content)
    source: IO[bytes] = io.BytesIO(content)
    with cache.keep("a", size, source) as file:
        assert file.read() == content
    assert not cache.has("a")
    assert total(cache) == 0


def test_a_copy_is_its_bytes_alone_with_one_hash_beside_it(cache: DiskCache) -> None:
    keep(cache, "a")
    [entry, digest] = sorted(file for file in cache.folder.iterdir() if file.name != ".lock")
    assert (entry.suffix, digest.suffix) == (".entry", ".hash")
    assert entry.read_bytes() == SOUND


def test_a_deleted_copy_leaves_no_hash(cache: DiskCache) -> None:
    for number in range(40):
        keep(cache, str(number))
    cache.shrink()
    entries, hashes = ({path.stem for path in cache.folder.glob(f"*.{kind}")} for kind in ("entry", "hash"))
    assert 0 < len(entries) < 40
    assert hashes == entries
