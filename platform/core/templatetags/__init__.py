"""Filters that every template may load."""

from __future__ import annotations
