"""Files of several folders belong together by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from quick.pairing import FolderFiles, Pairing, by_name, by_order


def folders(**files: str) -> list[FolderFiles]:
    return [FolderFiles(Path(name), tuple(names.split())) for name, names in files.items()]


# Name of the case: files of two folders, pairs, and the numbers without partner.
NAMES = {
    "equal names": ("x.wav y.wav", "x.wav y.wav", ["x.wav x.wav", "y.wav y.wav"], (0, 0)),
    "case and ending": ("Hello.WAV", "hello.flac", ["Hello.WAV hello.flac"], (0, 0)),
    "zero padding": ("t001.wav t010.wav", "t1.wav t10.wav", ["t001.wav t1.wav", "t010.wav t10.wav"], (0, 0)),
    "the folder's name": ("a_001.wav a_2.wav", "b_1.flac b_2.wav", ["a_001.wav b_1.flac", "a_2.wav b_2.wav"], (0, 0)),
    "its name in one file": ("a_001.wav", "b_1.flac", ["a_001.wav b_1.flac"], (0, 0)),
    "a word of all files": ("g-1.wav g-2.wav", "1-n.wav 2-n.wav", ["g-1.wav 1-n.wav", "g-2.wav 2-n.wav"], (0, 0)),
    "an odd file among them": (
        "g-s1.wav g-s2.wav",
        "n-x.wav n-s1.wav n-s2.wav",
        ["g-s1.wav n-s1.wav", "g-s2.wav n-s2.wav"],
        (0, 1),
    ),
    "separators": ("p1_s2/t3.wav", "p1-s2-t3.wav", ["p1_s2/t3.wav p1-s2-t3.wav"], (0, 0)),
    "without partner": ("1.wav 2.wav 3.wav 4.wav", "4.wav 5.wav", ["4.wav 4.wav"], (3, 1)),
    "numbers are never left out": ("s1_t1.wav s1_t2.wav", "s2_t1.wav s2_t2.wav", [], (2, 2)),
    "two files of one key": ("x1.wav x01.wav", "x1.flac", [], (2, 1)),
    "equal names come first": ("x1.wav x01.wav", "x1.wav", ["x1.wav x1.wav"], (1, 0)),
    "other names": ("cat.wav dog.wav", "one.wav two.wav", [], (2, 2)),
}


@pytest.mark.parametrize("case", NAMES)
def test_names_that_differ_only_in_form_belong_together(case: str) -> None:
    first, second, rows, alone = NAMES[case]
    found = by_name(folders(**({"g": first, "n": second} if "odd" in case else {"a": first, "b": second})))
    assert ([" ".join(row) for row in found.rows], found.alone) == (rows, alone)


def test_a_folder_s_name_with_a_number_is_its_own_word() -> None:
    found = by_name([FolderFiles(Path("v1"), ("v1_001.wav",)), FolderFiles(Path("v2"), ("v2_001.wav",))])
    assert found.rows == (("v1_001.wav", "v2_001.wav"),)


def test_a_text_counts_where_every_folder_has_it() -> None:
    found = by_name(folders(a="1.wav 2.wav 10.wav", b="10.wav 2.wav", c="2.wav 10.wav 3.wav"))
    assert found == Pairing((("2.wav",) * 3, ("10.wav",) * 3), (1, 0, 1))


def test_by_order_pairs_the_files_as_they_are_sorted() -> None:
    found = by_order(folders(a="cat.wav dog.wav", b="one.wav two.wav three.wav"))
    assert found == Pairing((("cat.wav", "one.wav"), ("dog.wav", "two.wav")), (0, 1))


def test_only_audio_files_count_in_natural_order(tmp_path: Path) -> None:
    for name in ("t10.wav", "t2.wav", "notes.txt", "._t2.wav", "sub/t1.flac"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert set(FolderFiles.of(tmp_path).files) == {"t2.wav", "t10.wav", "sub/t1.flac"}
    assert [name for name in FolderFiles.of(tmp_path).files if "/" not in name] == ["t2.wav", "t10.wav"]
