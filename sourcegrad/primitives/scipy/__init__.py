"""Families of SciPy, imported when code that uses them is looked at: importing SourceGrad imports no SciPy."""
