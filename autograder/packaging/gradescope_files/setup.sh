#!/bin/bash
# Gradescope runs this once, as root, when it builds the autograder's image. It needs Python 3.11 or newer, and makes a
# virtual environment beside the folder that this file is in: /autograder/venv.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(dirname "$here")"

find_python() {
    local name
    for name in python3.13 python3.12 python3.11 python3; do
        if "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
}

python="$(find_python)"
if [ -z "$python" ]; then
    apt-get update
    for version in 3.13 3.12 3.11; do
        apt-get install -y --no-install-recommends "python$version-venv" && break
    done
    python="$(find_python)"
fi
if [ -z "$python" ]; then
    echo "setup.sh: no Python 3.11 or newer can be had here: choose a newer base image on Gradescope" >&2
    exit 1
fi

"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --quiet --no-cache-dir -r "$here/requirements.txt"
cd "$here"
"$root/venv/bin/python" -c 'import autograder.commands.gradescope'
