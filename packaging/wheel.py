# SPDX-License-Identifier: Apache-2.0
"""wheel.py FILE VERSION FOLDER: a wheel that has the static inquest as its script, and the package
`inquest', so that `python -m inquest' is the same program. Its bytes depend on FILE alone.

The tag says what the file needs: no library, a Linux kernel of 3.2 or newer; the probe in it, what
manylinux_2_17 promises (glibc 2.17)."""

import base64
import hashlib
import os
import sys
import zipfile

TAGS = ["py3-none-manylinux_2_17_x86_64", "py3-none-manylinux2014_x86_64"]
SUMMARY = "Which rank of a distributed GPU job is everyone waiting for, and why"

MAIN = '''# SPDX-License-Identifier: Apache-2.0
"""python -m inquest: the program `inquest' of this package."""

import os
import sys
import sysconfig


def places():
    yield sysconfig.get_path("scripts")
    yield sysconfig.get_path("scripts", scheme=os.name + "_user")
    # pip install --target: scripts lie in bin/, beside the packages.
    yield os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")


def main():
    for place in places():
        path = os.path.join(place, "inquest")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            os.execv(path, ["inquest"] + sys.argv[1:])
    sys.exit("inquest: the program of this package is not installed: pip install --force-reinstall")


main()
'''


def main():
    program, version, folder = sys.argv[1:]
    with open(program, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF" or data[18:20] != b"\x3e\x00":
        sys.exit("wheel.py: %s is no x86-64 program: ./quickstart static makes it" % program)
    info = "inquest-%s.dist-info" % version
    files = [
        ("inquest/__init__.py", b'"""See python -m inquest --help."""\n', 0o644),
        ("inquest/__main__.py", MAIN.encode(), 0o644),
        ("inquest-%s.data/scripts/inquest" % version, data, 0o755),
        (info + "/METADATA", (
            "Metadata-Version: 2.1\nName: inquest\nVersion: %s\nSummary: %s\n"
            "License: Apache-2.0\nRequires-Python: >=3.8\n" % (version, SUMMARY)).encode(), 0o644),
        (info + "/WHEEL", (
            "Wheel-Version: 1.0\nGenerator: wheel.py (%s)\nRoot-Is-Purelib: false\n%s" % (
                version, "".join("Tag: %s\n" % tag for tag in TAGS))).encode(), 0o644),
    ]
    record = "".join("%s,sha256=%s,%d\n" % (
        name, base64.urlsafe_b64encode(hashlib.sha256(text).digest()).decode().rstrip("="),
        len(text)) for name, text, _ in files) + info + "/RECORD,,\n"
    files.append((info + "/RECORD", record.encode(), 0o644))
    tags = "py3-none-" + ".".join(sorted(tag.split("-")[2] for tag in TAGS))
    path = os.path.join(folder, "inquest-%s-%s.whl" % (version, tags))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, text, mode in files:
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100000 | mode) << 16
            wheel.writestr(member, text)
    print(path)


main()
