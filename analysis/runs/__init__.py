"""Analyses as jobs: requested, computed, stored, downloaded."""
