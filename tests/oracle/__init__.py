"""Derivatives by other means than sourcegrad: dual numbers (exact) and central differences (approximate)."""
from tests.oracle.differences import central_gradient
from tests.oracle.duals import Dual, closest_comparison
from tests.oracle.transplant import dual_gradient
from tests.oracle.trees import from_vector, inner, leaves, random_like, same_structure, vector

__all__ = ["Dual", "central_gradient", "closest_comparison", "dual_gradient", "from_vector", "inner", "leaves",
           "random_like", "same_structure", "vector"]
