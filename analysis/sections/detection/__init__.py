"""Telling human from machine."""
