"""Print a completion script for a shell.

Commands, subcommands, options, the values of options that are a choice, and the names
of methods are completed; everything else as the shell completes files. To use it:

  bash: eval "$(closeknit completion bash)"          (in ~/.bashrc)
  zsh:  eval "$(closeknit completion zsh)"           (in ~/.zshrc, after compinit)
  fish: closeknit completion fish | source           (in ~/.config/fish/config.fish)
"""

from __future__ import annotations

import argparse
import re

from ...methods import METHODS
from .parser import Parser

SHELLS = ("bash", "zsh", "fish")
_BY_METHOD = ("--method", "--methods", "--exact")
_BASH = """\
_closeknit() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local path="" word key words=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    key="${{path:+$path }}$word"
    case "|{paths}|" in *"|$key|"*) path="$key" ;; esac
  done
  case "$path $before" in
{values}
  esac
  if [ -z "$words" ]; then
    case "$path" in
{words}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _closeknit closeknit
"""


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("shell", choices=SHELLS, help="which shell")
    parser.examples("completion bash", "completion fish")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    found: dict[str, Parser] = dict(args.parsers())
    print(_fish(found) if args.shell == "fish" else _bash(found, args.shell), end="")
    return 0


def _next_words(path: str, found: dict[str, Parser]) -> list[str]:
    """Return what may follow: the next words of other paths, and options."""
    prefix = f"{path} " if path else ""
    below = [one.removeprefix(prefix) for one in found if one.startswith(prefix)]
    inner = [one for one in below if one and " " not in one]
    return [*inner, *found[path].option_names()]


def _values(parser: Parser) -> dict[str, list[str]]:
    """Return the words that may follow an option: its choices, or methods."""
    usage = " ".join(parser.format_usage().split())
    found = {
        option: choices.split(",")
        for option, choices in re.findall(r"(--[\w-]+) \{([^}]*)\}", usage)
    }
    methods = list(dict.fromkeys(name for table in METHODS.values() for name in table))
    for option in parser.option_names():
        if option in _BY_METHOD:
            found[option] = methods
    return found


def _bash(found: dict[str, Parser], shell: str) -> str:
    """Return a function for bash; zsh reads it by its bash emulation."""
    follow = {path: " ".join(_next_words(path, found)) for path in found}
    words = (f'    "{path}") words="{after}" ;;' for path, after in follow.items())
    values = (
        f'    "{path} {option}") words="{" ".join(choices)}" ;;'
        for path, parser in found.items()
        for option, choices in _values(parser).items()
    )
    head = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return head + _BASH.format(
        paths="|".join(path for path in found if path),
        words="\n".join(words),
        values="\n".join(values),
    )


def _fish(found: dict[str, Parser]) -> str:
    """Return one line for each word that may follow another."""
    lines = []
    for path, parser in found.items():
        seen = [f"__fish_seen_subcommand_from {word}" for word in path.split()]
        when = "; and ".join(seen) or "__fish_use_subcommand"
        values = _values(parser)
        for word in _next_words(path, found):
            if word.startswith("--"):
                value = f' -x -a "{" ".join(values[word])}"' if word in values else ""
                lines.append(f'complete -c closeknit -n "{when}" -l {word[2:]}{value}')
            else:
                lines.append(f'complete -c closeknit -n "{when}" -a {word}')
    return "\n".join(lines) + "\n"
