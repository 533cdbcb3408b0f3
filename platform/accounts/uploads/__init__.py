"""Large files that a program or a browser sends in parts."""
