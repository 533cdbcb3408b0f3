"""What `earshot` and, in a clone, `./run` do: prepare the machine, start every process, and stop them all together.

In a clone it runs before anything is installed, so it uses only the standard library; a child process does what
needs Django.
"""
