"""Tests of the judge's own process; ./check runs them in the judge's environment, where there is no Django."""
