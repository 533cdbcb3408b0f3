"""`earshot completion SHELL`: a script that completes commands, their names and options.

source <(earshot completion bash)        # or zsh
earshot completion fish | source
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.paths import FOLDERS, PROGRAM
from launcher import quick_options
from launcher.interrupts import Interrupts
from launcher.options import parser
from launcher.say import WrongUse, line
from launcher.study import STUDY
from launcher.usage import COMMANDS

SHELLS = ("bash", "zsh", "fish")
# Completes the last word: the first one from the commands, later ones by the command.
BASH = """\
_earshot() {{
  local words
  if [ "$COMP_CWORD" = 1 ]; then
    words='{commands}'
  else
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _earshot earshot ./run
"""
# Zsh reads the script of bash.
ZSH = "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n"


def main(arguments: Sequence[str], _interrupts: Interrupts) -> int:
    """Print the script for the named shell."""
    if len(arguments) != 1 or arguments[0] not in SHELLS:
        raise WrongUse(f"Name your shell: {PROGRAM} completion {{{','.join(SHELLS)}}}")
    line(script(arguments[0]).rstrip())
    return 0


def script(shell: str) -> str:
    """Return the script for a shell."""
    if shell == "fish":
        return fish()
    cases = "\n".join(f"      {name}) words='{' '.join(words)}' ;;" for name, words in after_command().items())
    bash = BASH.format(commands=" ".join(COMMANDS), cases=cases)
    return ZSH + bash if shell == "zsh" else bash


def fish() -> str:
    """Return the script for fish, which shows what each command does."""
    first = "complete -c earshot -n __fish_use_subcommand -f"
    lines = [f"{first} -a {name} -d '{command.text}'" for name, command in COMMANDS.items()]
    for name, words in after_command().items():
        lines.append(f"complete -c earshot -n '__fish_seen_subcommand_from {name}' -a '{' '.join(words)}'")
    return "\n".join(lines)


def after_command() -> dict[str, list[str]]:
    """Return the words that may follow each command."""
    files = [file for app in FOLDERS for file in app.glob("*/management/commands/[!_]*.py")]
    return {
        **{name: sorted(set(re.findall(r"--[a-z-]+", parser(name).format_usage()))) for name in ("run", "doctor")},
        "quick": sorted(set(re.findall(r"--[a-z-]+", quick_options.parser().format_usage()))),
        "study": [*STUDY, "--data"],
        "manage": sorted(["changepassword", "createsuperuser", "help", *(file.stem for file in files)]),
        "completion": list(SHELLS),
    }
