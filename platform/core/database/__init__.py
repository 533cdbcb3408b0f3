"""How the database is used: how many connections, queries prepared once, tables read page by page."""
