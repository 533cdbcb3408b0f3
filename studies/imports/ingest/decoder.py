"""Control the decoding process: start it, send it clips, and stop it when it misbehaves."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from studies.imports.ingest import wav
from studies.imports.ingest.facts import MAX_CHANNELS, MAX_RATE, Facts, Target
from studies.imports.ingest.problems import InvalidInput, UncertainEnd

MIB = 1024 * 1024
logger = logging.getLogger(__name__)
# The child imports this checkout, whatever is installed.
ROOT = Path(__file__).resolve().parents[3]
# An answer is one short line.
LONGEST_ANSWER = 64 * 1024
START_SECONDS = 60
TICK = 2.0


class DecoderBroken(Exception):
    """The decoding process can't be started: a problem of this server, not of a clip."""


@dataclass(frozen=True)
class DecoderLimits:
    """Limits of one clip: wall-clock and processor seconds, address space and written bytes."""

    wall: float
    cpu: float
    memory: int
    output: int

    @classmethod
    def of(cls, target: Target) -> DecoderLimits:
        """Return limits that are generous for the longest allowed clip."""
        seconds = target.max_seconds + 1
        # The worst is two channels at 192 kHz; about six copies in 8-byte samples live at once.
        worst = int(seconds * MAX_RATE * MAX_CHANNELS * 8)
        return cls(
            wall=30 + seconds / 4,
            cpu=20 + seconds / 4,
            memory=1024 * MIB + min(6 * worst, 6 * 1024 * MIB),
            output=min(worst, 4 * 1024 * MIB) + MIB,
        )


class DecoderProcess:
    """A context that turns files into facts and renditions, one at a time, in one long-lived child process.

    `beat` is called every few seconds while a clip is being decoded; what it raises ends the work.
    """

    def __init__(
        self, target: Target, *, limits: DecoderLimits | None = None, beat: Callable[[], None] = lambda: None
    ) -> None:
        self.target = target
        self.limits = limits or DecoderLimits.of(target)
        self.beat = beat
        self.process: subprocess.Popen[bytes] | None = None
        # How many bytes of the child's errors were logged.
        self.logged = 0

    def __enter__(self) -> DecoderProcess:
        # The folder holds temporary files of ffmpeg, and the child's errors.
        self.folder = tempfile.TemporaryDirectory(prefix="earshot-decoder-")
        self.stderr_path = Path(self.folder.name) / "said"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the child, and delete its folder."""
        self._end()
        self.folder.cleanup()

    def decode(self, source: Path, target: Path, edges_of: Path | None = None) -> Facts:
        """Return what was measured at `source`, with its rendition written to `target`; raises `InvalidInput`.

        If edges are trimmed, then like those of the file `edges_of`.
        """
        more = {} if edges_of is None else {"edges_of": str(edges_of.resolve())}
        return self._believed(self._ask(source, target, **more), target)

    def lowpass(self, source: Path, target: Path, hertz: int) -> None:
        """Write what `source` sounds like without all that lies above `hertz` to `target`; raises `InvalidInput`.

        The WAV at `target` is as little trusted as any clip that is sent: it goes through `decode` like them.
        """
        self._ask(source, target, lowpass=hertz)
        if target.is_symlink() or not target.is_file():
            self._end()
            raise InvalidInput("Filtering this file did not produce a recording. Export the clip again.")

    def _ask(self, source: Path, target: Path, **more: int | str) -> dict[str, Any]:
        """Send a request; if the child dies, send it once more: the system may have killed it for lack of memory."""
        request = {"source": str(source.resolve()), "target": str(target.resolve()), **more}
        for last in (False, True):
            try:
                answer = self._exchange(self.process or self._start(), request, self.limits.wall)
            except _Died as death:
                self._log()
                if last or death.certain:
                    raise InvalidInput(death.reason) from None
                continue
            self._log()
            if "refused" in answer:
                refusal = UncertainEnd if answer.get("is_uncertain") is True else InvalidInput
                raise refusal(str(answer["refused"]))
            return answer
        raise AssertionError

    def _believed(self, answer: dict[str, Any], rendition: Path) -> Facts:
        """Check that the child, which a malicious file may control, has written a plain WAV file and nothing else."""
        try:
            facts = Facts(**answer["facts"])
            size = rendition.lstat().st_size
            with rendition.open("rb") as file:
                head = file.read(wav.HEADER)
            wanted = wav.header(size - wav.HEADER, self.target.rate(facts.sample_rate), self.target.channels)
        except (OSError, KeyError, TypeError):
            head, wanted = b"", b"nothing"
        if rendition.is_symlink() or head != wanted:
            self._end()
            raise InvalidInput("Decoding this file did not produce a recording. Export the clip again.")
        return facts

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
            "TMPDIR": self.folder.name,
            # Threads reserve address space, which is limited.
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "MALLOC_ARENA_MAX": "1",
        }
        with self.stderr_path.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "studies.imports.ingest.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=self.folder.name,
                env=environment,
                start_new_session=True,
            )
        self.logged = 0
        first = {"audio": asdict(self.target), **asdict(self.limits)}
        try:
            self._exchange(self.process, first, START_SECONDS)
        except _Died:
            last = self._log()
            raise DecoderBroken(f"The decoding process can't be started: {last or 'it ended at once'}") from None
        return self.process

    def _log(self) -> str:
        """Log the child's new errors, and return the last line."""
        with self.stderr_path.open("rb") as file:
            file.seek(max(self.logged, file.seek(0, os.SEEK_END) - LONGEST_ANSWER))
            text = file.read().decode(errors="replace").strip()
            self.logged = file.tell()
        if text:
            logger.warning("The decoding process said:\n%s", text)
        return text.splitlines()[-1].strip() if text else ""

    def _exchange(self, child: subprocess.Popen[bytes], request: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert child.stdin
        assert child.stdout
        try:
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
            line = self._line(child.stdout.fileno(), time.monotonic() + seconds, seconds)
            return dict(json.loads(line))
        except (OSError, ValueError):
            raise _Died(self._end()) from None
        except BaseException:
            self._end()
            raise

    def _line(self, pipe: int, deadline: float, seconds: float) -> bytes:
        """Read one line; stop the child if it sends more or exceeds the time limit."""
        got = b""
        while not got.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0:
                raise _Died(None, f"Decoding took more than {seconds:.0f} s. Export the clip again, or shorten it.")
            if not select.select([pipe], [], [], min(left, TICK))[0]:
                self.beat()
                continue
            part = os.read(pipe, 4096)
            if not part or len(got) > LONGEST_ANSWER:
                raise ValueError
            got += part
        return got

    def _end(self) -> int | None:
        """Stop the child and everything that it started; return its exit status."""
        child, self.process = self.process, None
        if child is None:
            return None
        for pipe in (child.stdin, child.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            # If the child died on its own, this is the signal.
            child.wait(timeout=0.2)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        return child.wait()


class _Died(Exception):
    """The child died; `certain` if the clip is the cause."""

    def __init__(self, status: int | None, reason: str = "") -> None:
        super().__init__(reason)
        self.certain = bool(reason) or status == -signal.SIGXCPU
        if status == -signal.SIGXCPU:
            reason = "Decoding needed more processor time than one clip may have. Export the clip again, or shorten it."
        self.reason = reason or "Decoding this file ended the decoder twice. Export the clip again."
