"""What the campaigns that characterize drives and hold the models against the truth have in common."""

import subprocess


def run(*command):
    """Standard output of a command that must end well."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:4])}: {done.stderr.strip()}")
    return done.stdout


def wrapped(rev):
    """A difference of angles in revolutions, from -1/2 to 1/2."""
    return (rev + 0.5) % 1.0 - 0.5
