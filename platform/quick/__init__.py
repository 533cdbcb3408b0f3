"""`earshot quick`: a blind test of two to five folders, made of an ordinary study.

`launcher.quick` starts the processes; the commands here make the study, count listeners and write the result.
"""
