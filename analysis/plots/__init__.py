"""How results are drawn, in print and on pages, whatever they show."""
