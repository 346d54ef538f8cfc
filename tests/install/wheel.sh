#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Python package as users get it: the wheel of examples/packaging/build-wheels.sh, installed in
# bare roots, where it gives distances; its types are those that docs/python.md needs.
#
#   tests/install/wheel.sh FOLDER [SUITE...]
#
# The wheel goes to FOLDER. SUITEs are bookworm and noble (Ubuntu 24.04) if none is said. Exit
# status 77 where PyPI cannot be reached or no root be made.
. "$(dirname "$0")/../strict.sh"
cd "$(dirname "$0")/../.."
if [ $# -lt 1 ]; then
  sed -n '3,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
folder=$(realpath -m "$1")
shift
mkdir -p "$folder"

[ -d "$folder/venv" ] || python3 -m venv "$folder/venv"
export PATH=$folder/venv/bin:$PATH
rm -rf "$folder/dist"
examples/packaging/build-wheels.sh "$folder/dist" x86_64
ls "$folder/dist"

# A clean root has the system's pip; NumPy is fetched here, where PyPI can be reached.
python3 - >"$folder/page.py" <<'END'
import pathlib, re
page = pathlib.Path("docs/python.md").read_text()
print("\n".join(re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)))
END
pip install -q mypy "$folder"/dist/*.whl
mypy --strict "$folder/page.py"
[ $# -gt 0 ] || set -- bookworm noble
for suite in "$@"; do
  python=$(ROOT_PACKAGES=python3-pip tests/roots/root.sh "$suite" \
    "python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'")
  pip download -q --no-deps --only-binary=:all: --python-version "$python" -d "$folder/dist" numpy
  echo "== $suite: Python $python"
  ROOT_OUT=$folder ROOT_PACKAGES=python3-pip tests/roots/root.sh "$suite" "set -e
    cd /tmp
    pip install -q --root-user-action=ignore --break-system-packages --no-index \
      --find-links /out/dist stixels
    python3 /out/page.py"
done
