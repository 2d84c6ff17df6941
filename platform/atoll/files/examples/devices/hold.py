"""Hold the devices of this task for some seconds and say which they are: to see quotas and queues at work."""

import argparse
import os
import signal
import sys
import time


def main() -> int:
    """Wait, and end cleanly when asked to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in ("NVIDIA_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES"):
        if name in os.environ:
            print(f"{name}={os.environ[name]}", flush=True)
    until = time.monotonic() + options.seconds
    while (left := until - time.monotonic()) > 0:
        print(f"holding, {left:.0f} s to go", flush=True)
        time.sleep(min(5, left))
    print("done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
