"""What only shows when processes compete, or die."""

from __future__ import annotations
