"""What is done about pay: prepared, checked by a person, carried out once."""
