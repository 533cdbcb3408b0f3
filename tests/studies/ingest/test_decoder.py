from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studies.imports.ingest import decoder as module
from studies.imports.ingest.decoder import ROOT, DecoderBroken, DecoderLimits, DecoderProcess
from studies.imports.ingest.facts import Facts, Target
from studies.imports.ingest.problems import InvalidInput
from tests import audio

pytestmark = pytest.mark.processes
TARGET = Target()


@pytest.fixture(scope="module")
def decoder() -> Iterator[DecoderProcess]:
    """Return one decoder for the whole file, as one import has one."""
    with DecoderProcess(TARGET) as started:
        yield started


def given(decoder: DecoderProcess, folder: Path, content: bytes, name: str = "clip.wav") -> Facts:
    (folder / name).write_bytes(content)
    return decoder.decode(folder / name, folder / "rendition")


def test_everything_about_a_clip_comes_back(decoder: DecoderProcess, tmp_path: Path) -> None:
    content = audio.flac(2.0, rate=22050, channels=2)
    facts = given(decoder, tmp_path, content)
    assert (facts.format, facts.sample_rate, facts.channels, facts.duration) == ("FLAC", 22050, 2, 2.0)
    assert facts.sha256 == hashlib.sha256(content).hexdigest()
    assert facts.loudness is not None
    assert facts.true_peak < 0
    assert facts.rendition_bytes == (tmp_path / "rendition").stat().st_size == 44 + 2 * 96000


def test_one_child_decodes_many_clips(decoder: DecoderProcess, tmp_path: Path) -> None:
    given(decoder, tmp_path, audio.wav(0.5))
    first = decoder.process
    with pytest.raises(InvalidInput, match="empty"):
        given(decoder, tmp_path, b"")
    given(decoder, tmp_path, audio.wav(0.5, seed=2))
    assert first is not None
    assert decoder.process is first


def test_a_playlist_named_wav_is_refused_and_the_port_it_points_at_sees_nothing(
    decoder: DecoderProcess, tmp_path: Path
) -> None:
    (tmp_path / "secret.wav").write_bytes(audio.wav(1.0))
    seen = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)

        def listen() -> None:
            try:
                seen.append(server.accept())
            except TimeoutError:
                return

        listener = threading.Thread(target=listen)
        listener.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/a.wav"
        for lines in (
            ["#EXTM3U", address],
            ["#EXTM3U", str(tmp_path / "secret.wav")],
            ["ffconcat version 1.0", f"file {address}"],
        ):
            with pytest.raises(InvalidInput, match="playlist"):
                given(decoder, tmp_path, "\n".join([*lines, ""]).encode(), name="list.wav")
        with pytest.raises(InvalidInput):
            # A reference to media elsewhere, as an M4A file may hold one.
            given(decoder, tmp_path, b"\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00M4A " + f"url {address}".encode())
        listener.join()
    assert not seen
    assert not (tmp_path / "rendition").exists()


def test_a_child_that_is_killed_is_started_again_for_the_same_clip(tmp_path: Path) -> None:
    with DecoderProcess(TARGET) as decoder:
        given(decoder, tmp_path, audio.wav(0.5))
        assert decoder.process is not None
        os.kill(decoder.process.pid, signal.SIGKILL)
        assert given(decoder, tmp_path, audio.wav(0.7)).duration == 0.7


def test_a_clip_that_kills_two_children_is_refused(tmp_path: Path) -> None:
    with DecoderProcess(TARGET) as decoder:

        def kill() -> None:
            assert decoder.process is not None
            os.kill(decoder.process.pid, signal.SIGKILL)

        given(decoder, tmp_path, audio.wav(0.5))
        start = decoder._start

        def start_and_kill() -> subprocess.Popen[bytes]:
            child = start()
            kill()
            return child

        decoder._start = start_and_kill  # type: ignore[method-assign]
        kill()
        with pytest.raises(InvalidInput, match="twice"):
            given(decoder, tmp_path, audio.wav(0.5))


def test_a_clip_that_takes_too_long_is_refused_and_the_next_is_decoded(tmp_path: Path) -> None:
    with DecoderProcess(TARGET) as decoder:
        given(decoder, tmp_path, audio.wav(0.5))
        assert decoder.process is not None
        # A stopped child neither answers nor ends.
        os.kill(decoder.process.pid, signal.SIGSTOP)
        decoder.limits = replace(decoder.limits, wall=0.3)
        began = time.monotonic()
        with pytest.raises(InvalidInput, match="took more than"):
            given(decoder, tmp_path, audio.wav(0.5))
        assert time.monotonic() - began < 3
        decoder.limits = DecoderLimits.of(TARGET)
        assert given(decoder, tmp_path, audio.wav(0.5)).duration == 0.5


def test_a_clip_that_needs_too_much_memory_is_refused(tmp_path: Path) -> None:
    with DecoderProcess(TARGET, limits=replace(DecoderLimits.of(TARGET), memory=400 * 1024 * 1024)) as decoder:
        given(decoder, tmp_path, audio.wav(0.5))
        with pytest.raises(InvalidInput, match="memory"):
            given(decoder, tmp_path, audio.flac(59.0, rate=96000, channels=2))
        assert given(decoder, tmp_path, audio.wav(0.5)).duration == 0.5


def test_a_clip_that_needs_too_much_processor_time_is_refused(tmp_path: Path) -> None:
    target = replace(TARGET, max_seconds=300.0)
    with DecoderProcess(target, limits=replace(DecoderLimits.of(target), cpu=1.0)) as decoder:
        with pytest.raises(InvalidInput, match="processor time"):
            given(decoder, tmp_path, audio.encoded(np.tile(audio.speech(5.0, rate=44100), (60, 1)), 44100))
        assert given(decoder, tmp_path, audio.wav(0.5)).duration == 0.5


def test_a_child_can_write_no_more_than_it_may(tmp_path: Path) -> None:
    with (
        DecoderProcess(TARGET, limits=replace(DecoderLimits.of(TARGET), output=10_000)) as decoder,
        pytest.raises(InvalidInput, match="can't be decoded"),
    ):
        given(decoder, tmp_path, audio.wav(1.0))


def test_the_importer_is_heard_while_a_clip_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stop(Exception):
        pass

    def beat() -> None:
        raise Stop

    monkeypatch.setattr(module, "TICK", 0.01)
    with DecoderProcess(TARGET) as decoder:
        given(decoder, tmp_path, audio.wav(0.2))
        decoder.beat = beat
        child = decoder.process
        assert child is not None
        with pytest.raises(Stop):
            given(decoder, tmp_path, audio.flac(30.0))
        assert child.poll() is not None


def test_a_rendition_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with DecoderProcess(TARGET) as decoder:
        (tmp_path / "secret").write_text("root:x:0:0")
        answer = {"facts": given(decoder, tmp_path, audio.wav(0.5)).as_dict()}
        rendition = tmp_path / "rendition"
        monkeypatch.setattr(decoder, "_ask", lambda source, target: answer)
        assert decoder.decode(tmp_path / "clip.wav", rendition).duration == 0.5
        rendition.write_bytes(b"<html>" + rendition.read_bytes()[6:])
        with pytest.raises(InvalidInput, match="did not produce a recording"):
            decoder.decode(tmp_path / "clip.wav", rendition)
        rendition.unlink()
        rendition.symlink_to(tmp_path / "secret")
        with pytest.raises(InvalidInput, match="did not produce a recording"):
            decoder.decode(tmp_path / "clip.wav", rendition)
        answer["facts"].pop("duration")
        with pytest.raises(InvalidInput, match="did not produce a recording"):
            decoder.decode(tmp_path / "clip.wav", rendition)


def test_a_child_that_cannot_start_is_no_clips_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with DecoderProcess(TARGET) as decoder, pytest.raises(DecoderBroken):
        given(decoder, tmp_path, audio.wav(0.5))


def test_what_a_child_says_before_it_ends_is_logged_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program = tmp_path / "python"
    program.write_text(
        "#!/bin/sh\necho 'Traceback' >&2\necho 'OSError: cannot load library libsndfile.so' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with (
        DecoderProcess(TARGET) as decoder,
        pytest.raises(DecoderBroken, match=r"started: OSError: cannot load library"),
    ):
        given(decoder, tmp_path, audio.wav(0.5))
    assert "Traceback\nOSError: cannot load library libsndfile.so" in caplog.text


def test_an_error_inside_the_decoder_reaches_the_log_and_not_the_researcher(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with DecoderProcess(TARGET) as decoder, pytest.raises(InvalidInput) as refused:
        decoder.decode(tmp_path / "gone.wav", tmp_path / "rendition")
    assert str(refused.value) == "The file is damaged and can't be decoded. Export it again, as WAV or FLAC if you can."
    assert "FileNotFoundError" in caplog.text


def test_the_child_sees_no_secret_and_knows_no_framework() -> None:
    code = "import sys, studies.imports.ingest.child; print(*sys.modules)"
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.defpath}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"django", "celery", "pydantic", "core", "config"}
    assert "studies" in loaded


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads the environment of a process from /proc")
def test_the_childs_environment_holds_nothing_of_ours(decoder: DecoderProcess, tmp_path: Path) -> None:
    given(decoder, tmp_path, audio.wav(0.2))
    assert decoder.process is not None
    names = {line.partition(b"=")[0] for line in Path(f"/proc/{decoder.process.pid}/environ").read_bytes().split(b"\0")}
    assert not any(name.startswith(b"EARSHOT") or b"SECRET" in name or b"KEY" in name for name in names)


def test_the_child_imports_this_checkout() -> None:
    assert (ROOT / "manage.py").is_file()
