"""Carry out `earshot`, or `./run` in a clone."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib import import_module

from core.paths import IS_CLONE, PROGRAM
from launcher import (
    broker,
    doctor,
    environment,
    folder,
    links,
    ports,
    prepare,
    settings,
    study,
    usage,
)
from launcher.children import children
from launcher.interrupts import Interrupts
from launcher.options import Options, locks, parse, split
from launcher.say import LauncherError, WrongUse, line, step
from launcher.supervisor import Supervisor
from launcher.waiting import wait_for_parts, wait_until_up

# If the broker can't use a socket, its port is next to that of the pages.
BROKER_OFFSET = -1


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the command line; return the exit status: 0 fine, 1 failed, 2 wrong use, 130 interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    interrupts = Interrupts()
    interrupts.listen()
    os.umask(0o077)
    try:
        return carry_out(arguments, interrupts)
    except WrongUse as problem:
        line(str(problem))
        return 2
    except LauncherError as problem:
        line(str(problem))
        return 1
    except KeyboardInterrupt:
        line("Stopped.")
        return 130


def carry_out(arguments: Sequence[str], interrupts: Interrupts) -> int:
    """Carry out the command; without one, a clone's `./run` starts everything."""
    before, command, rest = split(arguments)
    if command not in usage.COMMANDS and command and not before:
        raise WrongUse(f"There is no command '{command}'. See: {PROGRAM} --help")
    if not command and (not IS_CLONE or usage.is_asked_for(before)):
        return usage.without_command(before)
    if command in usage.COMMANDS and (module := usage.COMMANDS[command].module):
        return int(import_module(module).main([*before, *rest], interrupts))
    if command == "study" and (not rest or usage.is_asked_for(rest[:1])):
        line(study.usage())
        return 0
    options = parse(arguments, os.environ)
    if options.doctor is not None:
        return doctor.examine(options)
    return serve(options, interrupts) if options.manage is None else manage(options, options.manage)


def manage(options: Options, arguments: tuple[str, ...]) -> int:
    """Replace this process by a management command on the same data."""
    # What the command prints may be read by a program.
    with redirect_stdout(sys.stderr):
        environment.prepare(locks(options))
        folder.make(options.data)
        if not broker.address_of(options.data).exists():
            broker.configure(options.data, options.port + BROKER_OFFSET)
        # Links that a command prints use the address of the last start.
        environ = settings.environment(options, {**prepare.last_address(options.data), **os.environ})
        prepare.tables(options.data, environ)
    command = prepare.command(*arguments)
    os.execve(command[0], command, environ)  # noqa: S606  (the user's own command, without a shell)


def serve(options: Options, interrupts: Interrupts) -> int:
    """Start everything, print the links, and wait until asked to stop."""
    environ_before = dict(os.environ)
    notes = settings.warnings(options, environ_before)
    listener = ports.listen(options.host, options.port) if "web" in options.parts else None
    for note in notes:
        line(note)
    line(f"Starting Earshot on {options.host} port {options.port}, with its data in {options.data}")
    environment.prepare(locks(options))
    folder.make(options.data)
    with folder.lock(options.data, options.parts):
        broker.configure(options.data, options.port + BROKER_OFFSET)
        environ = settings.environment(options, environ_before)
        prepare.tables(options.data, environ)
        if "web" in options.parts:
            prepare.static_files(options.data, environ)
            prepare.remember(options.data, "address", environ["EARSHOT_BASE_URL"])
        with step("Looking for an administrator"):
            # Without a password yet.
            prepare.manage(environ, "ensure_admin")
        supervisor = Supervisor(options.data, environ, interrupts)
        try:
            processes = children(options, environ_before, listener)
            with step(f"Starting {', '.join(dict.fromkeys(child.name for child in processes))}"):
                for child in processes:
                    supervisor.start(child)
                wait_for_parts(environ, supervisor)
                if "web" in options.parts:
                    wait_until_up(options, environ["EARSHOT_BASE_URL"], supervisor)
            if options.demo:
                prepare.demo(environ)
            if "web" in options.parts:
                for text in links.text(options, environ["EARSHOT_BASE_URL"], prepare.password(environ)):
                    line(text)
            else:
                line(f"Running: {', '.join(options.parts)}. Ctrl-C stops everything.")
            while True:
                supervisor.look_after()
                time.sleep(0.5)
        except KeyboardInterrupt:
            line()
            line("Stopping.")
            return 0
        finally:
            supervisor.stop()
            line("Everything is stopped.")


if __name__ == "__main__":
    sys.exit(main())
