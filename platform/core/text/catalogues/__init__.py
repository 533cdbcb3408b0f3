"""Catalogues of the pages' sentences: collected from the code, stored as .po, read by Django as .mo."""
