"""Tables of people who run studies, and of the programs that act for them."""

from __future__ import annotations

from accounts.models.people import User
from accounts.models.sign_ins import WrongPasswords
from accounts.models.tokens import ApiToken, Creation
from accounts.models.uploads import Upload, UploadPart

__all__ = ["ApiToken", "Creation", "Upload", "UploadPart", "User", "WrongPasswords"]
