"""A character-level LSTM with its parameters in a dict, and a loss over a sequence of one-hot vectors."""
import numpy as np

from tests.programs.real.record import Real


def sigmoid(x):
    return 0.5 * (np.tanh(x / 2.0) + 1.0)


def concat_and_multiply(weights, *args):
    cat_state = np.hstack(args + (np.ones((args[0].shape[0], 1)),))
    return np.dot(cat_state, weights)


def init_lstm_params(input_size, state_size, output_size, param_scale=0.3, rs=None):
    rs = np.random.RandomState(0) if rs is None else rs

    def rp(*shape):
        return rs.randn(*shape) * param_scale

    params = {"init cells": rp(1, state_size), "init hiddens": rp(1, state_size)}
    for gate in ("change", "forget", "ingate", "outgate"):
        params[gate] = rp(input_size + state_size + 1, state_size)
    params["predict"] = rp(state_size + 1, output_size)
    return params


def logsumexp(a, axis=None, keepdims=False):
    a_max = np.amax(a, axis=axis, keepdims=True)
    out = np.log(np.sum(np.exp(a - a_max), axis=axis, keepdims=True)) + a_max
    return out if keepdims else np.squeeze(out, axis=axis)


def lstm_predict(params, inputs):
    """Log probabilities of the next symbol for each step."""

    def update_lstm(input, hiddens, cells):
        change = np.tanh(concat_and_multiply(params["change"], input, hiddens))
        forget = sigmoid(concat_and_multiply(params["forget"], input, hiddens))
        ingate = sigmoid(concat_and_multiply(params["ingate"], input, hiddens))
        outgate = sigmoid(concat_and_multiply(params["outgate"], input, hiddens))
        cells = cells * forget + ingate * change
        hiddens = outgate * np.tanh(cells)
        return hiddens, cells

    def hiddens_to_output_probs(hiddens):
        output = concat_and_multiply(params["predict"], hiddens)
        return output - logsumexp(output, axis=1, keepdims=True)

    num_sequences = inputs.shape[1]
    hiddens = np.repeat(params["init hiddens"], num_sequences, axis=0)
    cells = np.repeat(params["init cells"], num_sequences, axis=0)

    output = [hiddens_to_output_probs(hiddens)]
    for input in inputs:
        hiddens, cells = update_lstm(input, hiddens, cells)
        output.append(hiddens_to_output_probs(hiddens))
    return output


def lstm_log_likelihood(params, inputs, targets):
    logprobs = lstm_predict(params, inputs)
    loglik = 0.0
    num_time_steps, num_examples, _ = inputs.shape
    for t in range(num_time_steps):
        loglik += np.sum(logprobs[t] * targets[t])
    return loglik / (num_time_steps * num_examples)


def training_loss(params, inputs, targets, l2=0.01, clip=None):
    norm = sum(np.sum(p ** 2) for name, p in params.items() if not name.startswith("init"))
    loss = -lstm_log_likelihood(params, inputs, targets) + l2 * norm
    if clip is not None and loss > clip:
        return clip
    return loss


def one_hot(text, alphabet="abc"):
    lookup = {symbol: i for i, symbol in enumerate(alphabet)}
    encoded = np.zeros((len(text), len(alphabet)))
    for row, symbol in enumerate(text):
        encoded[row, lookup[symbol]] = 1
    return encoded


SEQUENCES = np.stack([one_hot("abca"), one_hot("bbac")], axis=1)

PROGRAM = Real(training_loss, (init_lstm_params(3, 2, 3), SEQUENCES, SEQUENCES), inputs="params")
