"""The command 'halocline'.

Coarray programs are built and run by a program of its own, which starts at once; so this package
stands outside 'halocline', whose import takes longer than such a start.
"""
