"""What is refused of the programs: the words of the message that matter, and why.

Inherent is what has no derivative, or no source. The others are limits of what is followed in the code of a library.
"""
from __future__ import annotations

OBJECTS = ("an array of objects, text or records",
           "polynomials, blobs and names are kept in arrays of objects, which have no derivative")
KEYS = ("which is not known to be about one", "options are gathered in dicts under keys that are computed")
KEY = ("a key that depends on the inputs", "what was computed is remembered by the values of its arguments: inherent")
TARGET = ("is a call whose target is not known",
          "of an object whose class is refused, or of what is not installed behind a test")
VECTORS = ("the singular vectors beyond", "they are any basis: inherent")
RUN_TIME = ("is only known at run time", "a partial is made and stored under a name by the program itself")
LIST_CLASS = ("a list with a `__init__` of its own", "an array or list with more than its items")
NO_SOURCE = ("has no derivative rule and no Python source", "it is compiled from text when it is called: inherent")
CAUGHT = ("exception", "input is checked in a `try` that changes objects; behind it the recursions are compiled")
SHARED = ("what this loop shares between iterations", "a solver for a root exchanges its points")
OUTSIDE = ("a store into", "something is stored outside: inherent")
FILLED = ("which is not a local variable", "a dict that is filled has also been given what an object or dict outside holds")
GENERATOR = ("is not read at once", "a generator is handed on by a function that does more than that")
CLASS = ("a class defined inside the function", "a class is made when it is called")
METHODS = ("MethodType has no derivative rule", "a result is given a method of its own")
TURNED = ("changes with it cannot be known", "points change in place before they are handed to what is compiled: inherent")
STARS = ("`**` of something that is not a dict with known keys", "parameters are copied by their names")
DICT_CLASS = ("a dict with a `__init__` of its own", "a dict with more than its items")
TEXT = ("the text of numbers", "names are made of numbers while a model is made")
HELD_VIEW = ("a view of an array that changes in place, which an object would hold",
             "an object keeps a view of an array that changes")
ACTS = ("an iterator that does something that what reads it does", "it warns, and is handed on by a method")
HELD = ("an array that others may hold, where an object holds arrays", "arrays change in place that objects hold")
EARLY = ("a loop that may leave the generator", "a method that does not end is left by the loop: inherent")
COMPILED = ("the method '.__call__' of a DUFunc", "it is compiled by Numba: inherent")
LENGTH = ("of something whose length is not known", "arguments are spread of which the number is not known")
NUMBERS = ("which is not known to be numbers", "what is stored is of unknown kind")
OPERATOR = ("an operator that changes", "an attribute is changed by an operator")
METHOD = ("the method '.elementwise_func'", "an object calls a class that it keeps")
FROMPYFUNC = ("`np.frompyfunc`", "a ufunc of Python objects: inherent")
VARS = ("`vars` cannot be differentiated", "input is asked for what it is; behind it the recursions are compiled")
CHANGE = ("of objects that are told apart by their identity", "objects, lists and arrays hold each other and change")

REFUSED: dict[str, dict[str, tuple[str, str]]] = {
    "filterpy": {
        "radar": OPERATOR, "unscented": NUMBERS,
        "information": CAUGHT, "square_root": HELD_VIEW, "interacting": CHANGE},
    "quantecon": {
        "stationary": CHANGE, "state_space": EARLY, "gauss_legendre": COMPILED, "arma": LENGTH, "distribution": FROMPYFUNC},
    "fluids": {},
    "chemicals": {
        "rachford_rice": SHARED},
    "control": {
        "evaluated": OBJECTS, "frequency": OBJECTS, "modes": KEYS, "step": KEYS, "lyapunov": TARGET, "placed": VECTORS,
        "sampled": KEYS, "linearized": CHANGE, "gain": OUTSIDE, "loop": OBJECTS, "interconnected": OBJECTS, "damping": KEYS,
        "forced": KEYS, "initial": KEYS, "impulse": OBJECTS, "zeros": OBJECTS, "margins": OBJECTS, "sums_of_systems": KEYS,
        "converted": KEYS, "norm": KEYS},
    "lmfit": {
        "with_parameters": STARS, "least_squares": TARGET, "created": DICT_CLASS, "bounded": TARGET,
        "constrained": TARGET, "change_of_data": DICT_CLASS, "fitted": STARS, "fitted_model": TEXT, "guessed": CHANGE},
    "nashpy": {
        "vertices": ACTS, "lemke_howson": HELD, "imitation": GENERATOR},
    "hmmlearn": {
        "score": CAUGHT, "score_of_data": CAUGHT, "posteriors": VARS, "decoded": CAUGHT, "emissions": CHANGE, "rates": CAUGHT,
        "mixtures": CAUGHT, "fitted": CHANGE, "information_criterion": VARS},
    "bayesian-optimization": {
        "space": KEY, "space_of_array": KEY, "registered": CHANGE, "best": CLASS, "maximized": CLASS, "likelihood": STARS,
        "learned": VARS},
    "deap": {
        "toolbox_made_inside": RUN_TIME, "individual": LIST_CLASS, "compiled": NO_SOURCE},
    "SALib": {
        "first_order": METHODS, "second_order": CHANGE, "elementary_effects": CHANGE, "fourier": FILLED,
        "balanced_design": FILLED, "moment_independent": OUTSIDE, "factorial": CHANGE, "expansion": CHANGE},
    "pymoo": {
        "own": METHOD, "distance": NO_SOURCE, "boundary_intersection": TARGET, "volume": TURNED},
    "emcee": {
        "computed": CHANGE, "chain": CHANGE, "last_of_chain": CHANGE, "flat_chain": CHANGE,}}
