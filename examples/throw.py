"""A simulation in place inside a Tensor program: a ball is thrown through air with wind, and a network learns the throw.
======================================================================================================================

`flight` is ordinary NumPy code with a loop and stores in place. Called with Tensors it is one node of the graph, whose backward is
the generated adjoint; the network around it is `sg.nn`.

    python examples/throw.py
"""
import numpy as np

import sourcegrad as sg

STEP, STEPS = 0.02, 60


@sg.differentiable
def flight(speed, wind):
    """The path (STEPS + 1, 2), m, of a ball thrown with `speed` (2,), m/s, against quadratic drag; wind in m/s."""
    path = np.zeros((STEPS + 1, 2))
    velocity = speed.copy()
    for i in range(STEPS):
        relative = velocity - np.array([1.0, 0.0]) * wind
        drag = 0.05 * np.sqrt(relative[0] ** 2 + relative[1] ** 2 + 1e-12)
        velocity -= STEP * drag * relative
        velocity[1] -= STEP * 9.81
        path[i + 1] = path[i] + STEP * velocity
    return path


def main(rounds=150):
    sg.manual_seed(0)
    model = sg.nn.Sequential(sg.nn.Linear(2, 16), sg.nn.Tanh(), sg.nn.Linear(16, 2))
    optimizer = sg.optim.Adam(model.parameters(), lr=0.02)
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(rounds):
        optimizer.zero_grad()
        loss = sg.tensor(0.0)
        for _ in range(8):
            wind, distance = rng.uniform(-3, 3), rng.uniform(4, 8)
            speed = model(sg.tensor([wind / 3, distance / 8])) * 5.0 + sg.tensor([5.0, 5.0])
            path = flight(speed, wind)
            loss = loss + ((path[-1] - sg.tensor([distance, 0.0])) ** 2).sum() / 8
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"mean squared distance from the target, m^2: first {losses[0]:.2f}, last {np.mean(losses[-10:]):.3f}")
    print(path.grad_fn.source.split("\n\n\n")[1])
    return losses


if __name__ == "__main__":
    main()
