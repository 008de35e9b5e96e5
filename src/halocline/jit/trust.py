"""Which files and folders no other user can have changed: what is loaded from them runs as us."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ROOT = 0
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def distrust(folder: Path, owner: int | None = None) -> str:
    """Return who else can change what a folder holds, as a clause; '' if nobody can.

    The folder must belong to this user, to 'owner' or to root, its parents to these or to whom the
    root of the file system belongs, and others must not be able to write to any of them: parents
    with the sticky bit, such as /tmp, are as good. The group that has this user alone is no other.

    Args:
        folder: The folder, without symbolic links.
        owner: A user who is trusted, too.
    """
    trusted = {os.getuid(), _ROOT, owner}
    if found := _open_to_others(folder, folder.stat(), trusted):
        return found
    trusted.add(folder.parents[-1].stat().st_uid)
    for parent in folder.parents:
        about = parent.stat()
        is_sticky = about.st_mode & stat.S_ISVTX and about.st_uid in trusted
        if not is_sticky and (found := _open_to_others(parent, about, trusted)):
            return found
    return ""


def is_ours(file: os.stat_result, folder: os.stat_result) -> bool:
    """Return whether a file in a trusted folder was written by its owner, this user or root."""
    is_open = file.st_mode & _OTHERS_WRITE and not _only_group_of_user(file)
    return file.st_uid in (os.getuid(), _ROOT, folder.st_uid) and not is_open


def _open_to_others(path: Path, about: os.stat_result, trusted: set[int | None]) -> str:
    if about.st_uid not in trusted:
        return f"'{path}' belongs to {_name(about.st_uid)}"
    if about.st_mode & _OTHERS_WRITE and not _only_group_of_user(about):
        return f"'{path}' can be written by others (mode {stat.S_IMODE(about.st_mode):04o})"
    return ""


def _only_group_of_user(about: os.stat_result) -> bool:
    """Return whether those who can write are a group of this user alone, as many systems have."""
    if about.st_mode & stat.S_IWOTH:
        return False
    try:
        name, group = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(about.st_gid)
    except KeyError:
        return False
    return group.gr_name == name and set(group.gr_mem) <= {name}


def _name(user: int) -> str:
    try:
        return f"the user '{pwd.getpwuid(user).pw_name}'"
    except KeyError:
        return f"user number {user}"
