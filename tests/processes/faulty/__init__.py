"""The product with one thing broken on purpose, to see that a test notices."""

from __future__ import annotations
