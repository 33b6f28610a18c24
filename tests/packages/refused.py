"""What is refused of the programs: the words of the message that matter, and why.

Inherent is what has no derivative, or no source. The others are limits of what is followed in the code of a library.
"""
from __future__ import annotations

OBJECTS = ("an array of objects, text or records",
           "polynomials, blobs and names are kept in arrays of objects, which have no derivative")
KEYS = ("which is not known to be about one", "options are gathered in dicts under keys that are computed")
KEY = ("the key `key`", "a dict has keys that are read from another dict")
SLICOT = ("is a call whose target is not known",
          "what would be called is not installed, and stands behind a test that is not decided")
VECTORS = ("the singular vectors beyond", "they are any basis: inherent")
RUN_TIME = ("is only known at run time", "a partial is made and stored under a name by the program itself")
LIST_CLASS = ("a list with a `__init__` of its own", "an array or list with more than its items")
NO_SOURCE = ("has no derivative rule and no Python source", "it is compiled from text when it is called: inherent")
ITERATOR = ("an iterator that is kept in a variable", "an attribute holds an iterator without an end")
ENDLESS = ("which has no end, is not gone over by a loop", "the loop goes over one of two iterators")
CAUGHT = ("exception", "input is checked in a `try` that changes objects; behind it the recursions are compiled")
SHARED = ("what this loop shares between iterations", "a solver for a root exchanges its points")
PROBLEM = ("changes 'PROBLEM', which is not a local variable", 'the dict of results holds the names of the problem beside the lists that are filled')
OUTSIDE = ("a store into", "something is stored outside: inherent")
ITEMS = ("what becomes the items of a list", "results are lists in a dict with names as keys")
GENERATOR = ("is not read at once", "a generator is handed on by a function that does more than that")
CLASS = ("a class defined inside the function", "a class is made when it is called")
DELATTR = ("`delattr` cannot be differentiated", "attributes are deleted by their names while input is checked")
STARS = ("`**` of something that is not a dict with known keys", "parameters are copied by their names")
CHANGE = ("of objects that are told apart by their identity", "objects, lists and arrays hold each other and change")

REFUSED: dict[str, dict[str, tuple[str, str]]] = {
    "filterpy": {},
    "quantecon": {},
    "fluids": {},
    "chemicals": {"rachford_rice": SHARED},
    "control": {"evaluated": OBJECTS, "frequency": OBJECTS, "modes": KEYS, "step": KEYS, "lyapunov": SLICOT,
        "placed": VECTORS, "sampled": KEYS, "linearized": CHANGE},
    "lmfit": {"evaluated": CHANGE, "with_parameters": CHANGE},
    "nashpy": {"supports": GENERATOR, "vertices": GENERATOR, "lemke_howson": CHANGE, "fictitious_play": GENERATOR,
        "stochastic_play": GENERATOR, "imitation": GENERATOR},
    "hmmlearn": {"score": CAUGHT, "score_of_data": CAUGHT, "posteriors": CAUGHT, "decoded": CAUGHT, "emissions": CAUGHT,
        "rates": CAUGHT, "mixtures": CAUGHT, "fitted": CAUGHT},
    "bayesian-optimization": {"space": KEY, "space_of_array": KEY, "registered": CHANGE, "best": CLASS, "maximized": CLASS,
        "predicted": DELATTR, "predicted_mean": DELATTR, "acquired": DELATTR, "likelihood": STARS, "learned": OUTSIDE},
    "deap": {"toolbox": RUN_TIME, "individual": LIST_CLASS, "compiled": NO_SOURCE, "penalized": ITERATOR},
    "SALib": {"first_order": OBJECTS, "second_order": OBJECTS, "elementary_effects": CHANGE, "fourier": PROBLEM,
        "balanced_design": PROBLEM, "moment_independent": OUTSIDE, "factorial": ITEMS, "cumulative": OBJECTS,
        "expansion": CHANGE},
    "pymoo": {},
    "emcee": {"computed": OBJECTS, "chain": ENDLESS, "last_of_chain": ENDLESS, "flat_chain": CHANGE}}
