"""`python -m installer.dev`."""

from installer.dev.commands import dev

if __name__ == "__main__":
    dev()
