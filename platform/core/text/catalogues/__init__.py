"""Catalogues of the pages' own words: found in the code, kept as .po, read by Django as .mo."""
