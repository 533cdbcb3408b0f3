from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from studies.imports.ingest.archive import ArchiveLimits, Folder, ZipArchive
from studies.imports.ingest.problems import InvalidInput
from tests import audio

CLIP = b"RIFF not really"


def opened(content: bytes, **limits: int) -> ZipArchive:
    return ZipArchive(io.BytesIO(content), ArchiveLimits(**limits))


def with_entry(info: zipfile.ZipInfo, content: bytes = CLIP) -> bytes:
    """Return an archive with one entry whose header a test has written."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(info, content)
    return out.getvalue()


def refusal(content: bytes, **limits: int) -> str:
    with pytest.raises(InvalidInput) as caught:
        opened(content, **limits)
    return str(caught.value)


def test_a_file_is_copied_by_the_name_of_the_manifest(tmp_path: Path) -> None:
    archive = opened(audio.zipped({"a/b.wav": CLIP}))
    assert archive.match(["a/b.wav"]) == []
    archive.copy("a/b.wav", tmp_path / "1")
    assert (tmp_path / "1").read_bytes() == CLIP


def test_one_common_folder_at_the_top_may_be_left_out(tmp_path: Path) -> None:
    archive = opened(audio.zipped({"clips/a/b.wav": CLIP, "clips/c.wav": CLIP, "__MACOSX/clips/._c.wav": b""}))
    assert archive.match(["a/b.wav", "c.wav"]) == []
    assert not archive.missing("a/b.wav")


def test_files_that_the_manifest_does_not_name_are_a_warning() -> None:
    archive = opened(audio.zipped({"a.wav": CLIP, "notes.txt": b"x", ".DS_Store": b"x"}))
    (found,) = archive.match(["a.wav"])
    assert found.file == "notes.txt"
    assert found.warning


def test_a_missing_file_says_when_only_case_differs() -> None:
    archive = opened(audio.zipped({"A.wav": CLIP}))
    archive.match(["a.wav"])
    assert "A.wav" in archive.missing("a.wav")
    assert archive.missing("b.wav") == "The archive does not contain this file."


@pytest.mark.parametrize(
    "name", ["../evil.wav", "a/../../evil.wav", "/etc/evil.wav", "C:\\evil.wav", "..\\evil.wav", "a\x01.wav"]
)
def test_crowd_13_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    assert "The name" in refusal(with_entry(zipfile.ZipInfo(name)))


def test_a_name_with_nul_is_refused() -> None:
    content = audio.zipped({"aXwav.exe": CLIP}).replace(b"aXwav.exe", b"a\0wav.exe")
    assert "control character" in refusal(content)


def test_crowd_13_an_archive_with_a_symlink_is_refused() -> None:
    info = zipfile.ZipInfo("link.wav")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    assert "link" in refusal(with_entry(info, b"/etc/passwd"))


def test_a_device_is_refused() -> None:
    info = zipfile.ZipInfo("pipe.wav")
    info.create_system, info.external_attr = 3, (stat.S_IFIFO | 0o644) << 16
    assert "neither" in refusal(with_entry(info))


def test_an_encrypted_entry_is_refused() -> None:
    content = bytearray(audio.zipped({"a.wav": CLIP}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(bytes(content))


@pytest.mark.parametrize("name", ["inner.zip", "a/inner.TAR", "x.tar.gz", "x.7z"])
def test_crowd_13_a_nested_archive_is_refused(name: str) -> None:
    assert "archive inside" in refusal(audio.zipped({name: CLIP}))


def test_an_unusual_compression_is_refused() -> None:
    assert "standard ZIP" in refusal(audio.zipped({"a.wav": CLIP * 99}, compression=zipfile.ZIP_LZMA))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.wav", b"1")
        archive.writestr("a.wav", b"2")
    assert "Two files" in refusal(out.getvalue())


def test_crowd_13_names_that_differ_in_case_alone_are_refused() -> None:
    assert "case alone" in refusal(audio.zipped({"A.wav": CLIP, "a.wav": CLIP}))


def test_crowd_13_too_many_files_are_refused() -> None:
    assert "more than 3 files" in refusal(audio.zipped({f"{n}.wav": b"" for n in range(4)}), files=3)


def test_a_list_of_files_too_long_to_read_is_refused_unread() -> None:
    content = bytearray(audio.zipped({"a.wav": CLIP}))
    end = content.index(b"PK\x05\x06")
    content[end + 12 : end + 16] = (2**31).to_bytes(4, "little")
    assert "lists more than" in refusal(bytes(content))


def test_crowd_13_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = audio.zipped({"a.wav": bytes(50_000_000)}, compression=zipfile.ZIP_DEFLATED)
    assert "100 times" in refusal(bomb)


def test_a_file_or_a_sum_beyond_the_limit_is_refused() -> None:
    content = audio.zipped({"a.wav": bytes(1000), "b.wav": bytes(1000)})
    assert "larger than" in refusal(content, file_bytes=999)
    assert "unpacks to more" in refusal(content, total_bytes=1999)


def test_crowd_13_bytes_are_counted_while_they_stream(tmp_path: Path) -> None:
    content = audio.zipped({"a.wav": bytes(3_000_000)}, compression=zipfile.ZIP_DEFLATED)
    # The central directory says 1,000 bytes, so that the declared size passes every limit.
    lie = content.replace((3_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    archive = opened(lie)
    archive.match(["a.wav"])
    with pytest.raises(InvalidInput):
        archive.copy("a.wav", tmp_path / "1")
    assert not (tmp_path / "1").exists() or (tmp_path / "1").stat().st_size <= 1000


def test_the_sum_is_counted_while_files_stream(tmp_path: Path) -> None:
    archive = opened(audio.zipped({"a.wav": bytes(1000)}), total_bytes=1500)
    archive.match(["a.wav"])
    archive.copy("a.wav", tmp_path / "1")
    with pytest.raises(InvalidInput):
        archive.copy("a.wav", tmp_path / "2")


def test_a_damaged_entry_is_refused(tmp_path: Path) -> None:
    content = audio.zipped({"a.wav": CLIP}).replace(CLIP, CLIP[::-1], 1)
    archive = opened(content)
    archive.match(["a.wav"])
    with pytest.raises(InvalidInput, match="damaged"):
        archive.copy("a.wav", tmp_path / "1")


@pytest.mark.parametrize(
    "content",
    [b"", b"no zip at all", audio.zipped({"a.wav": CLIP})[:-30]],
    # A ZIP holds the time it was made: as names, parallel processes would not agree on these.
    ids=["empty", "text", "cut short"],
)
def test_what_is_no_whole_archive_is_refused(content: bytes) -> None:
    assert "ZIP" in refusal(content)


def test_a_folder_gives_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.wav").write_bytes(CLIP)
    folder = Folder(tmp_path)
    assert not folder.missing("a/b.wav")
    assert "no such file" in folder.missing("a/c.wav")
    folder.copy("a/b.wav", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == CLIP


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "secret").write_text("x")
    os.symlink(tmp_path / "secret", tmp_path / "root" / "a.wav")
    assert "link" in Folder(tmp_path / "root").missing("a.wav")


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no folder"):
        Folder(tmp_path / "nowhere")
