"""A plugin for nbdkit: a disk with a volatile cache.

A write reaches the file `image` when the disk is flushed. Until then the file `cache` has it, in the order of writes. A
cut of the power kills nbdkit. Disk.lose() in machine.py then decides what became of the writes in `cache`.
"""

import mmap
import os
import struct

API_VERSION = 2

HEAD = struct.Struct("QQ")  # of a write in `cache`: its offset and its length
files = {}
content = None  # what reads see: the image, and over it all writes
unflushed = []


def config(key, path):
    files[key] = os.open(path, os.O_RDWR)


def config_complete():
    global content
    content = mmap.mmap(files["image"], 0, access=mmap.ACCESS_COPY)


def open(readonly):
    return True


def get_size(_):
    return len(content)


def pread(_, buffer, offset, flags):
    buffer[:] = content[offset : offset + len(buffer)]


def pwrite(_, buffer, offset, flags):
    data = bytes(buffer)
    content[offset : offset + len(data)] = data
    unflushed.append((offset, data))
    os.write(files["cache"], HEAD.pack(offset, len(data)) + data)


def flush(_, flags):
    for offset, data in unflushed:
        os.pwrite(files["image"], data, offset)
    unflushed.clear()
    os.ftruncate(files["cache"], 0)
    os.lseek(files["cache"], 0, os.SEEK_SET)
