"""The pool of places: items, cells, ratings wanted, and how batches claim them."""
