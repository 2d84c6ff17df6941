"""Train a small neural network on scikit-learn's handwritten digits by stochastic gradient descent.

1,797 images of 8 x 8 pixels, a fifth of them held out. Prints loss and accuracy after every epoch, reports them for the
charts, and writes the model to $ATOLL_OUTPUT_DIR/model.npz.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits


def arguments() -> argparse.Namespace:
    """What may be changed from the form."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--learning-rate", "--learning_rate", type=float, default=0.1)
    parser.add_argument("--batch-size", "--batch_size", type=int, default=32)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds to wait after each epoch")
    return parser.parse_args()


def forward(weights, images):
    """Hidden activations and the probability of each digit."""
    hidden = np.maximum(0, images @ weights["w1"] + weights["b1"])
    scores = hidden @ weights["w2"] + weights["b2"]
    scores -= scores.max(axis=1, keepdims=True)
    likely = np.exp(scores)
    return hidden, likely / likely.sum(axis=1, keepdims=True)


def loss_and_accuracy(weights, images, labels):
    """Mean cross-entropy, and the share of images that are recognised."""
    _, likely = forward(weights, images)
    loss = -np.log(likely[np.arange(len(labels)), labels] + 1e-12).mean()
    return float(loss), float((likely.argmax(axis=1) == labels).mean())


def gradients(weights, images, labels):
    """The slope of the loss for every weight."""
    hidden, likely = forward(weights, images)
    likely[np.arange(len(labels)), labels] -= 1
    likely /= len(labels)
    back = (likely @ weights["w2"].T) * (hidden > 0)
    return {"w2": hidden.T @ likely, "b2": likely.sum(axis=0), "w1": images.T @ back, "b1": back.sum(axis=0)}


def main() -> int:
    """Train, report, save."""
    options = arguments()
    output = Path(os.environ.get("ATOLL_OUTPUT_DIR", "output"))
    output.mkdir(parents=True, exist_ok=True)
    metrics = Path(os.environ.get("ATOLL_METRICS_FILE", output / "metrics.jsonl"))
    random = np.random.default_rng(options.seed)

    digits = load_digits()
    order = random.permutation(len(digits.target))
    images, labels = digits.data[order] / 16.0, digits.target[order]
    held_out = len(labels) // 5
    test_images, test_labels = images[:held_out], labels[:held_out]
    train_images, train_labels = images[held_out:], labels[held_out:]
    print(f"{len(labels)} images: {len(train_labels)} to learn from, {held_out} held out", flush=True)

    weights = {
        "w1": random.normal(0, 1 / 8, (64, options.hidden)),
        "b1": np.zeros(options.hidden),
        "w2": random.normal(0, 1 / np.sqrt(options.hidden), (options.hidden, 10)),
        "b2": np.zeros(10),
    }
    accuracy, began = 0.0, time.monotonic()
    with metrics.open("a", encoding="utf-8") as report:
        for epoch in range(1, options.epochs + 1):
            order = random.permutation(len(train_labels))
            for start in range(0, len(order), options.batch_size):
                batch = order[start : start + options.batch_size]
                for name, slope in gradients(weights, train_images[batch], train_labels[batch]).items():
                    weights[name] -= options.learning_rate * slope
            loss, _ = loss_and_accuracy(weights, train_images, train_labels)
            test_loss, accuracy = loss_and_accuracy(weights, test_images, test_labels)
            print(f"epoch {epoch:3d}/{options.epochs}  loss {loss:.4f}  held-out accuracy {accuracy:.4f}", flush=True)
            line = {"step": epoch, "loss": loss, "held_out_loss": test_loss, "accuracy": accuracy}
            report.write(json.dumps(line) + "\n")
            report.flush()
            time.sleep(options.pause)

    model = output / "model.npz"
    np.savez(model, **weights)
    summary = {"accuracy": accuracy, "epochs": options.epochs, "seconds": round(time.monotonic() - began, 2)}
    (output / "summary.json").write_text(json.dumps(summary) + "\n", encoding="utf-8")
    print(f"held-out accuracy {accuracy:.4f}; model written to {model} ({model.stat().st_size} bytes)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
