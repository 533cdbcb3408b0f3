"""Tables as the three papers print them."""
