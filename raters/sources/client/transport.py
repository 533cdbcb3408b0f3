"""HTTP requests to a platform: token, rate limit, and retries only where repeats are safe."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from raters.sources.payment_platform import NotSent, NotSetUp, PlatformRefusal, Unclear

if TYPE_CHECKING:
    import httpx

TRIES = 4
FIRST_WAIT, LONGEST_WAIT = 1.0, 20.0
LARGEST_ANSWER = 8 << 20


class PlatformTransport:
    """Sends requests with a token, which its messages never contain. `sleep` waits between tries."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        # Imported here because the web process needs the sources, but not httpx.
        import httpx

        self.url, self.sleep = url.rstrip("/"), sleep
        self.http = httpx.Client(
            headers={"authorization": f"Token {token}"},
            timeout=httpx.Timeout(30.0, connect=5.0),
            # Never send the token to another address.
            follow_redirects=False,
            transport=transport,
        )

    def ask(self, method: str, path: str, *, repeatable: bool, **request: Any) -> Mapping[str, Any]:
        """Return the JSON object of the response; raises `PlatformRefusal`, `NotSent`, `NotSetUp` or `Unclear`.

        Repeatable requests are retried if the platform fails or is busy. Others are sent once.
        """
        import httpx

        # Errors raised before anything reached the platform.
        never_left = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
        wait = FIRST_WAIT
        for tries_left in reversed(range(TRIES if repeatable else 1)):
            try:
                answer = self.http.request(method, f"{self.url}{path}", **request)
                problem, wait_asked = _problem(answer)
            except never_left:
                problem, wait_asked = NotSent(_("The platform can’t be reached. Nothing was sent.")), 0.0
            except httpx.RequestError:
                problem, wait_asked = Unclear(_("The connection was lost before the platform replied.")), 0.0
            if problem is None:
                return _document(answer)
            if not tries_left or not isinstance(problem, NotSent | Unclear):
                raise problem
            self.sleep(min(LONGEST_WAIT, max(wait, wait_asked)))
            wait *= 2
        raise AssertionError

    def close(self) -> None:
        self.http.close()


def _problem(answer: httpx.Response) -> tuple[Exception | None, float]:
    """Return the error of a response, if any, and the seconds to wait that the platform requests."""
    status = answer.status_code
    if answer.is_success:
        return None, 0.0
    after = answer.headers.get("retry-after", "")
    if status == 429:
        return NotSent(_("The platform accepts no more requests at the moment. Nothing was sent; try again later.")), (
            float(after) if after.isdecimal() else 0.0
        )
    if status in {401, 403}:
        return NotSetUp(_("The platform rejected the token. Check it in the server’s settings.")), 0.0
    if status >= 500:
        text = _("The platform replied with error {status}. It is unclear whether the request was carried out.")
        return Unclear(text.format(status=status)), 0.0
    return PlatformRefusal(refusal_message(answer), status=status), 0.0


def refusal_message(answer: httpx.Response) -> str:
    """Return the platform's error text, shortened to one line."""
    try:
        body = answer.json()
    except ValueError:
        body = {}
    error = body.get("error", body) if isinstance(body, dict) else {}
    detail = error.get("detail") or error.get("title") if isinstance(error, dict) else error
    text = " ".join(str(detail or "").split())[:300]
    return _("The platform refused: {said}").format(said=text or answer.status_code)


def _document(answer: httpx.Response) -> Mapping[str, Any]:
    try:
        document = answer.json() if answer.content and len(answer.content) <= LARGEST_ANSWER else {}
    except ValueError:
        document = {}
    return document if isinstance(document, dict) else {}
