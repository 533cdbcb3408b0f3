"""What may become of a request to a platform; above all, whether anything can have happened there."""

from __future__ import annotations

from core.errors import DomainError


class Refused(DomainError):
    """The platform understood and said no: nothing happened."""

    status = 502
    code = "refused"


class NotYet(Refused):
    """The submission is still under way, so that it can't be decided on: nothing happened, and later it may."""

    code = "not_yet"


class NotSent(DomainError):
    """The platform can't be reached, or takes no more requests for now: nothing happened."""

    status = 503
    code = "not_sent"


class Unclear(DomainError):
    """The request went out and no answer came that says what became of it."""

    status = 502
    code = "unclear"


class NotSetUp(DomainError):
    """There is no token for the platform, or it is refused."""

    status = 409
    code = "not_set_up"
