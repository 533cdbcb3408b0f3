"""How far people came, and what their checks did."""
