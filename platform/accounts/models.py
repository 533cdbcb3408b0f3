"""Tables of researchers, and of the programs that act for them."""

from __future__ import annotations

from accounts.api.models import Creation
from accounts.tokens.models import ApiToken
from accounts.uploads.models import Upload, UploadPart
from accounts.users.models import User, WrongPasswords

__all__ = ["ApiToken", "Creation", "Upload", "UploadPart", "User", "WrongPasswords"]
