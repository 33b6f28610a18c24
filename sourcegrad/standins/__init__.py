"""Classes of Python that are written in C, written in Python: their methods are differentiated as those of any class."""
