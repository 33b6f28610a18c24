"""From a function to generated code: the order of passes, specialisation, recursion, emission."""
