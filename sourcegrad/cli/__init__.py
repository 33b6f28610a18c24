"""The command line: `show` prints, `check` tests and exports; here their arguments."""
from __future__ import annotations

import argparse
import os
import sys

from sourcegrad import __version__
from sourcegrad.cli import commands
from sourcegrad.cli.targets import FAILED, GOOD, USAGE, UsageError, complain
from sourcegrad.errors import InputError, SourcegradError


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 good, 1 failed, 2 bad usage."""
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["check"] and "--drift" in argv:         # it takes paths, not a function
        argv = ["drift", *(word for word in argv[1:] if word != "--drift")]
    try:
        options = parser().parse_args(argv)
        options.arguments = sys.argv[1:] if argv is None else argv
    except SystemExit as stop:                  # argparse has printed why
        return stop.code if isinstance(stop.code, int) else USAGE
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except UsageError as error:
        return complain(str(error), USAGE)
    except InputError as error:
        return complain(str(error), USAGE)
    except SourcegradError as error:
        return complain(str(error), FAILED)
    except BrokenPipeError:                     # `sourcegrad rules | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return GOOD
    return code


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="sourcegrad", description="Gradients of NumPy functions as NumPy source.")
    top.add_argument("--version", action="version", version=f"sourcegrad {__version__}")
    parsers = top.add_subparsers(metavar="COMMAND", required=True)

    target = argparse.ArgumentParser(add_help=False)
    target.add_argument("function", metavar="FILE.py:FUNC|pkg.mod:FUNC", help="the function to differentiate")
    target.add_argument("--inputs", metavar="w,b",
                        help="names or positions of the parameters to differentiate by (default: the first)")
    target.add_argument("--order", type=order, default=1, metavar="N", help="2: the gradient of the gradient")
    target.add_argument("--at", action="append", default=[], metavar="NAME=EXPR",
                        help="an example argument; np and math are in scope; may be repeated")

    room = argparse.ArgumentParser(add_help=False)
    room.add_argument("--memory", metavar="BYTES",
                      help='what loops may hold for the reverse sweep ("200 MB"): the rest is computed again')
    room.add_argument("--spill", metavar="DIR", help="a folder for checkpoints that do not fit into --memory")

    shown = parsers.add_parser("show", parents=[target, room], help="print derived code")
    what = shown.add_mutually_exclusive_group()
    what.add_argument("--stage", metavar="NAME", help="the program at one stage of the pipeline")
    what.add_argument("--all", action="store_true", help="the program at every stage")
    what.add_argument("--diff", action="store_true", help="what each stage changes")
    what.add_argument("--html", metavar="OUT.html", help="write a page with the derived lines beside the lines that they came from")
    what.add_argument("--cost", action="store_true", help="time and memory by line of the function, measured at the --at arguments")
    what.add_argument("--rounding", action="store_true", help="bounds of the rounding error of the result by line, at the --at "
                      "arguments; --inputs: what is rounded itself")
    shown.add_argument("-o", "--output", metavar="FILE", help="write to a file instead")
    shown.add_argument("--watch", action="store_true", help="again whenever a file in its folder changes, until Ctrl-C")
    shown.add_argument("--value", action="store_true", help="a function that also returns the value")
    shown.add_argument("--forward", action="store_true", help="forward mode: the function with tangents, instead of its gradient")
    shown.add_argument("--guarded", action="store_true", help="the text that runs where the plain one gives no finite derivative")
    shown.set_defaults(run=commands.show)

    drift = "check --drift PATH...: whether exported modules are up to date"
    checked = parsers.add_parser("check", parents=[target], help=f"compare with finite differences; {drift}",
                                 description=f"Compare a gradient with finite differences. And {drift}.")
    checked.add_argument("--nan", action="store_true", help="say why the value or the derivative is not finite instead")
    checked.set_defaults(run=commands.check)
    drifted = parsers.add_parser("drift", help="compare exported modules with what would be exported now")
    drifted.add_argument("paths", nargs="+", metavar="PATH", help="exported modules, or folders with some")
    drifted.set_defaults(run=lambda options: commands.drift(options.paths, top))

    written = parsers.add_parser("export", parents=[target, room], help="write derived code as a module that needs NumPy only")
    written.add_argument("-o", "--output", metavar="FILE.py", help="the file (default: print)")
    written.add_argument("--value", action="store_true", help="a function that also returns the value")
    written.add_argument("--grad-outputs", action="store_true", help="a function that takes weights of the outputs")
    written.add_argument("--forward", action="store_true", help="forward mode: the function with tangents, instead of its gradient")
    written.add_argument("--numba", action="store_true", help="compile the functions with Numba")
    written.set_defaults(run=commands.export)

    ordered = parsers.add_parser("passes", help="list the passes in their order: optional ones (*) can be switched off by "
                                  "SOURCEGRAD_DISABLE=NAME,NAME")
    ordered.add_argument("--time", dest="function", metavar="FILE.py:FUNC|pkg.mod:FUNC", help="with the time that each takes")
    ordered.add_argument("--inputs", metavar="w,b", help=argparse.SUPPRESS)
    ordered.add_argument("--at", action="append", default=[], metavar="NAME=EXPR", help="an example argument, as for show")
    ordered.set_defaults(run=commands.passes, order=1, value=False)

    named = parsers.add_parser("rules", help="list the functions that have derivatives")
    named.add_argument("name", nargs="?", metavar="NAME", help="print this function's rule and its samples")
    named.set_defaults(run=commands.rules)

    stored = parsers.add_parser("cache", help="show the folder of the disk cache, its entries and their size")
    stored.add_argument("--clear", action="store_true", help="remove all entries")
    stored.set_defaults(run=cache)

    completed = parsers.add_parser("completion", help="print a script that completes commands in a shell")
    completed.add_argument("shell", choices=SHELLS)
    completed.set_defaults(run=lambda options: completion(options.shell, top))
    return top


def cache(options: argparse.Namespace) -> int:
    """Print the folder of the disk cache, how many entries it has, and their size."""
    from sourcegrad.api import disk_cache
    place = disk_cache.folder()
    if place is None:
        return complain("the disk cache is switched off\nUnset SOURCEGRAD_CACHE to use it.", FAILED)
    if options.clear:
        print(f"{disk_cache.clear(place)} entries removed from {place}")
        return GOOD
    found = disk_cache.files(place)
    missing = os.path.lexists(place) and not disk_cache.is_private(place)
    print(f"folder   {place}{' (not used: it must belong to you alone, mode 700)' if missing else ''}")
    print(f"entries  {len(found)}")
    print(f"size     {sum(size for _, size, _ in found) / 2**20:.1f} MB")
    return GOOD


def order(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("the order is 1 or more")
    return value


# --- completion in a shell

SHELLS = ("bash", "zsh", "fish")
BASH = """\
# sourcegrad completion for bash: eval "$(sourcegrad completion bash)" in ~/.bashrc
_sourcegrad_functions() {{
    sed -n 's/^def \\([A-Za-z_0-9]*\\).*/\\1/p' "$1" 2>/dev/null
}}
_sourcegrad() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=""
    COMPREPLY=()
    if [[ $word == : && $before == *.py ]]; then                # FILE.py:<TAB>
        COMPREPLY=($(compgen -W "$(_sourcegrad_functions "$before")"))
        return
    elif [[ $before == : && ${{COMP_WORDS[COMP_CWORD-2]}} == *.py ]]; then
        COMPREPLY=($(compgen -W "$(_sourcegrad_functions "${{COMP_WORDS[COMP_CWORD-2]}}")" -- "$word"))
        return
    elif ((COMP_CWORD == 1)); then
        words="{commands}"
    elif [[ $word == -* || ${{COMP_WORDS[1]}} == completion ]]; then
        case ${{COMP_WORDS[1]}} in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _sourcegrad sourcegrad
"""
ZSH = '# sourcegrad completion for zsh: eval "$(sourcegrad completion zsh)" in ~/.zshrc, after compinit\n' \
      "autoload -U +X bashcompinit && bashcompinit\n"


def completion(shell: str, top: argparse.ArgumentParser) -> int:
    known = subcommands(top)
    words = {name: [*options(parser), *choices(parser)] for name, parser in known.items()}
    if shell == "fish":
        print("# sourcegrad completion for fish: sourcegrad completion fish > ~/.config/fish/completions/sourcegrad.fish")
        print(f"complete -c sourcegrad -n __fish_use_subcommand -f -a '{' '.join([*known, *options(top)])}'")
        for name, found in words.items():
            print(f"complete -c sourcegrad -n '__fish_seen_subcommand_from {name}' -a '{' '.join(found)}'")
        return GOOD
    cases = "\n".join(f"            {name}) words=\"{' '.join(found)}\" ;;" for name, found in words.items())
    text = BASH.format(commands=" ".join([*known, *options(top)]), cases=cases)
    print(ZSH + text.partition("\n")[2] if shell == "zsh" else text, end="")
    return GOOD


def subcommands(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = next(action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


def options(parser: argparse.ArgumentParser) -> list[str]:
    return [name for action in parser._actions if action.help is not argparse.SUPPRESS for name in action.option_strings]


def choices(parser: argparse.ArgumentParser) -> list[str]:
    """What may stand in the place of positional arguments."""
    return [str(choice) for action in parser._actions if not action.option_strings for choice in action.choices or ()]
