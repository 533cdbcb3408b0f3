"""Django's backend for PostgreSQL, with nothing that outlives a transaction; `ENGINE` names this package."""
