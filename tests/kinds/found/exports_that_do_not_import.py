"""What sourcegrad's decorators and lambdas stand around is written into the exported module, which does not import."""
import subprocess
import sys

from sourcegrad.cli import main

CASES = {
    "lambda in defvjp": ("@sg.custom_vjp\ndef g(x): return x * x\ng.defvjp(lambda x: (x * x, x), lambda s, ct: (2 * s * ct,))\n",
                         "3 * x ** 2"),
    "nondifferentiable": ("@sg.nondifferentiable\ndef g(x): return float(np.sum(x > 1))\n", "np.ones(2)"),
    "checkpoint": ("@sg.checkpoint\ndef g(x): return np.sin(x) * x\n", "np.cos(x) * x ** 2 + 2 * np.sin(x) * x"),
}
checks = ["import sys; sys.modules['sourcegrad'] = None", "import numpy as np; x = np.array([1.0, 2.0])"]
for k, (name, (body, right)) in enumerate(CASES.items()):
    with open(f"em{k}.py", "w") as file:
        file.write("import numpy as np\nimport sourcegrad as sg\n" + body + "def f(x): return np.sum(g(x) * x)\n")
    assert main(["export", f"em{k}.py:f", "--at", "x=np.ones(3)", "-o", f"em{k}_grad.py"]) == 0, name
    checks.append(f"import em{k}_grad; assert np.allclose(em{k}_grad.f_grad(x), {right}), {name!r}")
subprocess.run([sys.executable, "-c", "\n".join(checks)], check=True)
