"""The command line: which commands there are and where each lives. A command's module is imported when it is used."""

from __future__ import annotations

import importlib
import sys
from typing import NamedTuple

import click

from installer import exit_codes
from installer.errors import ToldError, tell


class Row(NamedTuple):
    """One command: where it lives, what it does in one line, and under which heading it is listed."""

    module: str
    attribute: str
    help: str
    group: str


ALL, STEPS, DAILY, DEVELOPERS = "The whole way", "Step by step", "Every day", "For developers"

COMMANDS = {
    "up": Row("installer.up.commands", "up", "Build everything, from nothing to a portal", ALL),
    "down": Row("installer.up.commands", "down", "Remove a cluster of lab nodes, with all its data", ALL),
    "dev": Row("installer.dev.commands", "dev", "Portal and API on this machine, without root or a cluster", ALL),
    "validate": Row("installer.cluster.commands", "validate", "Find every mistake in a cluster.yaml", STEPS),
    "schema": Row("installer.cluster.commands", "schema", "Print the JSON Schema of cluster.yaml, for editors", STEPS),
    "bundle": Row("installer.bundle.commands", "bundle", "Build, verify and describe what nodes need", STEPS),
    "lab": Row("installer.lab.commands", "lab", "Make, look at and remove nodes on this machine", STEPS),
    "enrol": Row("installer.preflight.commands", "enrol", "Show and pin the SSH host keys of servers", STEPS),
    "preflight": Row("installer.preflight.commands", "preflight", "Check machines without changing them", STEPS),
    "plan": Row("installer.running.plan_command", "plan", "Say what apply would do, and why", STEPS),
    "apply": Row("installer.running.commands", "apply", "Do what plan says", STEPS),
    "verify": Row("installer.running.verify_command", "verify", "Say what is broken, and where", DAILY),
    "status": Row("installer.running.commands", "status", "Show nodes, services and the portal's address", DAILY),
    "runs": Row("installer.running.commands", "runs", "Show earlier runs and what each did", DAILY),
    "users": Row("installer.users.commands", "users", "Accounts: disable, reset a password, end sessions", DAILY),
    "image": Row("installer.images.commands", "image", "Import images of your own; list them", DAILY),
    "kubectl": Row("installer.running.commands", "kubectl", "Run kubectl as the cluster's administrator", DAILY),
    "test": Row("installer.testing.commands", "test", "Run the tests", DEVELOPERS),
    "features": Row("installer.testing.commands", "features", "Show which features have a passing proof", DEVELOPERS),
    "bench": Row("installer.testing.commands", "bench", "Measure figures and compare them with baselines", DEVELOPERS),
}

EPILOG = f"""Exit codes: {exit_codes.explained()}.

Start with `./atoll up`: without a file it makes four nodes on this machine. With servers of your own: copy
cluster.example.yaml, then validate, enrol, up. `./atoll COMMAND --help` says more about each."""


class LazyGroup(click.Group):
    """A group whose commands are looked up in COMMANDS."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        row = COMMANDS.get(cmd_name)
        if row is None:
            return None
        found = getattr(importlib.import_module(row.module), row.attribute)
        if not isinstance(found, click.Command):
            raise TypeError(f"{row.module}.{row.attribute} is not a click command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands by group, without importing any of them."""
        for group in (ALL, STEPS, DAILY, DEVELOPERS):
            with formatter.section(group):
                formatter.write_dl([(name, row.help) for name, row in COMMANDS.items() if row.group == group], 12)


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="atoll", message="%(version)s", version=exit_codes.VERSION)
def cli() -> None:
    """Turn bare Linux servers into a private AI training platform.

    One cluster.yaml says which machines there are; every command reads it with -f. Nodes need SSH and Python, and
    no internet.
    """


def main() -> int:
    """Run the command line; errors that a person can mend are printed as they are, with their exit code."""
    try:
        outcome = cli.main(prog_name="atoll", standalone_mode=False)
    except click.UsageError as error:
        error.show()
        return exit_codes.USAGE
    except click.ClickException as error:
        error.show()
        return exit_codes.FAILED
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return exit_codes.INTERRUPTED
    except BrokenPipeError:  # `| head` has seen enough
        sys.stderr.close()
        return exit_codes.FAILED
    except ToldError as error:  # anything else is a defect of ours: its traceback belongs into the report
        return tell(error)
    return outcome if isinstance(outcome, int) else exit_codes.OK
