"""The pool of places: items, cells, how often each is still to be rated, and who claims them."""
