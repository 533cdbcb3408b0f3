"""What `./check` does.

It starts before anything is installed, so it uses the standard library and the launcher alone.
"""
