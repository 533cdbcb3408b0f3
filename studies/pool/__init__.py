"""The pool of places: items, cells, the ratings they still want, and how batches claim them."""
