"""What `./run` does: prepare the machine, start every process, and stop them all together.

It runs before anything is installed, so it uses only the standard library; what needs Django is a child process.
"""
