"""Pilots of studies: how they went, their end when enough people took part, and their deletion."""
