"""Train one model on several nodes: PyTorch DistributedDataParallel over gloo (CPU).

Every node works on its own share of the images, gradients are averaged after each step, and node 0 writes
$ATOLL_OUTPUT_DIR/model.pt. The images are drawn here (8 x 8 digits in seven segments, shifted and noisy), so the
program needs nothing but PyTorch.
"""

import argparse
import json
import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

# Rows and columns of the seven segments, and which of them each digit lights up.
SEGMENTS = {"a": (0, 0, 1, 5), "b": (0, 4, 4, 5), "c": (3, 4, 7, 5), "d": (6, 0, 7, 5), "e": (3, 0, 7, 1),
            "f": (0, 0, 4, 1), "g": (3, 0, 4, 5)}  # fmt: skip
DIGITS = ("abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abfgcd")


def draw(count: int, generator: torch.Generator):
    """`count` noisy digits, each shifted a little, and their labels."""
    labels = torch.randint(0, 10, (count,), generator=generator)
    images = torch.rand((count, 8, 8), generator=generator) * 0.6
    shifts = torch.randint(0, 3, (count,), generator=generator)
    for index in range(count):
        shift = int(shifts[index])
        for segment in DIGITS[int(labels[index])]:
            top, left, bottom, right = SEGMENTS[segment]
            images[index, top:bottom, left + shift : right + shift] += 0.7
    return images.reshape(count, 64), labels


def main() -> int:
    """Join the others, train, save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--images", type=int, default=2000, help="per node")
    parser.add_argument("--batch-size", "--batch_size", type=int, default=50)
    parser.add_argument("--learning-rate", "--learning_rate", type=float, default=0.1)
    options = parser.parse_args()

    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29500")
    print(f"node {rank} of {world}: waiting for {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", rank=rank, world_size=world, timeout=timedelta(minutes=5))
    print(f"node {rank}: all {world} are here", flush=True)

    torch.manual_seed(1)
    images, labels = draw(options.images, torch.Generator().manual_seed(100 + rank))
    test_images, test_labels = draw(500, torch.Generator().manual_seed(7))
    model = DistributedDataParallel(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)))
    optimiser = torch.optim.SGD(model.parameters(), lr=options.learning_rate, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    began, accuracy = time.monotonic(), 0.0
    for epoch in range(1, options.epochs + 1):
        total = torch.zeros(1)
        order = torch.randperm(len(labels))
        for start in range(0, len(order), options.batch_size):
            batch = order[start : start + options.batch_size]
            optimiser.zero_grad()
            loss = criterion(model(images[batch]), labels[batch])
            loss.backward()
            optimiser.step()
            total += loss.detach() * len(batch)
        distributed.all_reduce(total)
        mean = float(total) / (len(labels) * world)
        with torch.no_grad():
            accuracy = float((model.module(test_images).argmax(dim=1) == test_labels).float().mean())
        # Of the last step, averaged over all nodes: the same on each, and so is the model.
        gradient = float(sum(each.grad.double().square().sum() for each in model.parameters())) ** 0.5
        print(
            f"node {rank}: epoch {epoch}/{options.epochs}  loss {mean:.4f}  accuracy {accuracy:.4f}  "
            f"gradient {gradient:.9f}",
            flush=True,
        )
        if rank == 0 and "ATOLL_METRICS_FILE" in os.environ:
            with Path(os.environ["ATOLL_METRICS_FILE"]).open("a", encoding="utf-8") as report:
                report.write(json.dumps({"step": epoch, "loss": mean, "accuracy": accuracy}) + "\n")

    if rank == 0:
        output = Path(os.environ.get("ATOLL_OUTPUT_DIR", "output"))
        output.mkdir(parents=True, exist_ok=True)
        torch.save(model.module.state_dict(), output / "model.pt")
        print(f"trained on {world} nodes in {time.monotonic() - began:.1f} s, model written to {output / 'model.pt'}")
    distributed.barrier()
    distributed.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
