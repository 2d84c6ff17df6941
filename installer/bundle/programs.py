"""Programs from Go modules: static, without paths, times or build ids in them, so that two builds are bit-identical."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from installer.bundle.edits import edited, edits_file
from installer.bundle.execution import Report, output_of, run
from installer.bundle.lock import Program
from installer.bundle.outputs import tree_digests
from installer.bundle.toolchain import Toolchain

# Part of every program's input hash: raise it when a change below must rebuild everything.
RECIPE = 2
MODULE = re.compile(r"^\t(dep|=>)\t(\S+)\t(v\S+)", re.MULTILINE)
CROSS_COMPILERS = {"arm64": "aarch64-linux-gnu-gcc", "amd64": "x86_64-linux-gnu-gcc"}


def module_directory(tree: Path, name: str, program: Program) -> Path:
    """Return the Go module of a family of programs."""
    return tree / "platform" / "packaging" / (program.module or name)


def program_inputs(
    tree: Path, toolchain: Toolchain, name: str, program: Program, architecture: str
) -> dict[str, object]:
    """Return everything that a build depends on."""
    edits = edits_file(tree, name)
    changes: dict[str, object] = {"edits": tree_digests(edits)} if edits.is_file() else {}
    return changes | {
        "recipe": RECIPE,
        "toolchain": toolchain.key,
        "architecture": architecture,
        "program": program.model_dump(exclude={"licence", "architectures"}),
        "module": tree_digests(module_directory(tree, name, program)),
    }


def build_argv(program: Program, package: str, target: Path) -> list[str]:
    """Return the command line that builds one program."""
    linker = ["-s", "-w", "-buildid="]
    linker += [f"-X {variable}={value}" for variable, value in sorted(program.variables.items())]
    tags = list(program.tags)
    if program.cgo:
        linker.append("-linkmode external -extldflags '-static-pie -Wl,--build-id=none'")
    argv = ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags", " ".join(linker), "-o", str(target)]
    if program.cgo:
        argv.append("-buildmode=pie")
    if tags:
        argv.append("-tags=" + ",".join(tags))
    return [*argv, package]


def build_programs(
    tree: Path, toolchain: Toolchain, name: str, program: Program, architecture: str, into: Path, report: Report
) -> list[str]:
    """Build each program of a family into the folder `into`; return the modules in them, as `path@version`."""
    environment = toolchain.go_environment(architecture)
    if program.cgo:
        environment |= {"CGO_ENABLED": "1", "CC": CROSS_COMPILERS[architecture]}
    directory = module_directory(tree, name, program)
    remedy = f"The module is {directory}; its packages come from the Go module proxy of this machine's Go settings."
    report("fetching its modules")
    edits = edits_file(tree, name)
    where: AbstractContextManager[Path] = nullcontext(directory)
    if edits.is_file():
        where = edited(directory, program.source, module_source(tree, toolchain, name, program, report), edits)
    with where as cwd:
        for target, package in sorted(program.builds.items()):
            report(f"compiling {target}")
            argv = build_argv(program, package, into / target)
            argv[0] = str(toolchain.programs / "go")
            run(argv, report, cwd=cwd, env=environment, remedy=remedy)
    programs = [into / target for target in program.builds]
    return modules(output_of([toolchain.programs / "go", "version", "-m", *programs], env=environment))


def modules(text: str) -> list[str]:
    """Return the modules in programs, of which `go version -m` told: `path@version`, replacements applied."""
    found: list[str] = []
    for word, module, version in MODULE.findall(text):
        if word == "=>":
            found.pop()
        found.append(f"{module}@{version}")
    return sorted(set(found))


def module_source(tree: Path, toolchain: Toolchain, name: str, program: Program, report: Report) -> Path:
    """Return the folder with the source of the module that a family is built from, fetched if need be."""
    environment = toolchain.go_environment("amd64")
    directory, module = module_directory(tree, name, program), program.source
    go = toolchain.programs / "go"
    run([go, "mod", "download", module], report, cwd=directory, env=environment)
    return Path(output_of([go, "list", "-m", "-f", "{{.Dir}}", module], env=environment, cwd=directory).strip())
