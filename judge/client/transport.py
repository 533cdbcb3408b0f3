"""HTTP requests to a judge, with time-outs and retries."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic import ValidationError

from judge.problems import Misconfigured, Unavailable
from judge.schemas import ErrorBody

# Statuses that don't depend on the request, so it may be repeated.
PASSING = frozenset({429, 502, 503, 504})
LONGEST_WAIT = 30.0
# Answers are small JSON documents; a larger one is not from a judge.
LARGEST_ANSWER = 1 << 20


@dataclass(frozen=True, slots=True)
class Patience:
    """Time-outs in seconds for connecting and for the answer, number of tries, and first wait."""

    connect: float = 5.0
    # On a CPU, a clip takes half a minute, and others may wait before it.
    read: float = 300.0
    tries: int = 5
    first_wait: float = 0.5


# For pages, which must not wait long.
BRIEF = Patience(connect=1.0, read=2.0, tries=1)


class JudgeTransport:
    """Sends requests to a judge's address with its token. `sleep` waits between tries."""

    def __init__(
        self,
        url: str,
        token: str = "",
        patience: Patience | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if not _is_address(url):
            raise Misconfigured(f"The judge's address is {url!r}; write it like http://127.0.0.1:8765.")
        self.url, self.patience, self.sleep = url.rstrip("/"), patience or Patience(), sleep
        self.http = httpx.Client(
            headers={"authorization": f"Bearer {token}"} if token else {},
            timeout=httpx.Timeout(self.patience.read, connect=self.patience.connect),
            # Clips must not pass through a proxy from the environment.
            trust_env=False,
            transport=transport,
        )

    def ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Return the final answer to a request, with retries; raises `Unavailable` if there is none."""
        wait = self.patience.first_wait
        for tries_left in reversed(range(self.patience.tries)):
            try:
                answer = self.http.request(method, f"{self.url}{path}", **request)
                problem, wait_asked = _passing(answer)
            except httpx.TimeoutException:
                problem, wait_asked = Unavailable(f"The judge at {self.url} took too long to answer.", "timed_out"), 0.0
            except httpx.DecodingError:
                raise Misconfigured(f"What answers at {self.url} is not a judge: its answer can't be read.") from None
            except httpx.TransportError as error:
                problem, wait_asked = Unavailable(f"The judge at {self.url} can't be reached ({_why(error)})."), 0.0
            if problem is None:
                return answer
            if not tries_left:
                raise problem
            self.sleep(min(LONGEST_WAIT, max(wait, wait_asked)))
            wait *= 2
        raise AssertionError

    def json(self, method: str, path: str, **request: Any) -> Mapping[str, Any]:
        """Return a JSON object; raises `Misconfigured` if another service answers at this address."""
        answer = self.ask(method, path, **request)
        if answer.status_code in {401, 403}:
            raise Misconfigured(
                f"The judge at {self.url} rejects the platform's token: set EARSHOT_JUDGE_TOKEN to the judge's own."
            )
        if answer.is_error:
            raise Misconfigured(f"{self.url}{path} answers {answer.status_code}: {error_message(answer)}")
        return self.document(answer)

    def document(self, answer: httpx.Response) -> Mapping[str, Any]:
        """Return the answer's JSON object; raises `Misconfigured` if it isn't one."""
        try:
            document = answer.json() if len(answer.content) <= LARGEST_ANSWER else None
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise Misconfigured(f"What answers at {self.url} is not a judge: its answer is not a JSON object.")
        return document

    def is_ready(self, path: str) -> bool:
        """True if a single request to `path` succeeds."""
        try:
            return self.http.get(f"{self.url}{path}", timeout=BRIEF.read).is_success
        except httpx.TransportError:
            return False

    def close(self) -> None:
        self.http.close()


def error_body(answer: httpx.Response) -> ErrorBody | None:
    """Return the judge's error body, or None if the response is not from a judge."""
    try:
        return ErrorBody.model_validate_json(answer.content)
    except ValidationError:
        return None


def error_message(answer: httpx.Response) -> str:
    """Return an answer's message, shortened to one line."""
    known = error_body(answer)
    text = known.message if known else answer.text
    return " ".join(text.split())[:300] or answer.reason_phrase


def _is_address(url: str) -> bool:
    try:
        return httpx.URL(url).scheme in {"http", "https"}
    except httpx.InvalidURL:
        return False


def _passing(answer: httpx.Response) -> tuple[Unavailable | None, float]:
    """Return the error of an answer worth another try and the seconds to wait; None for final answers."""
    if answer.status_code not in PASSING:
        return None, 0.0
    known = error_body(answer)
    after = answer.headers.get("retry-after", "")
    return Unavailable(error_message(answer), known.code if known else ""), float(after) if after.isdecimal() else 0.0


def _why(error: httpx.TransportError) -> str:
    return str(error) or type(error).__name__
