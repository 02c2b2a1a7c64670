#pragma once

#include <stdint.h>

/// Asks the kernel to send `signal` to this process when its parent thread ends. Returns 0 or -errno.
int earshot_die_with_parent(int signal);

/// Leaves no core file and keeps other processes of the user from looking into this one's memory.
/// Returns 0 or -errno.
int earshot_leave_no_trace(void);

/// The process at the other end of a socket made by `socketpair`, when it was made, or -errno.
int earshot_peer_process(int socket);

/// The newest version of Landlock that the kernel offers, or -errno where it offers none.
int earshot_landlock_version(void);

/// What may be done beneath a path.
enum earshot_file_right {
  EARSHOT_READ = 0,
  EARSHOT_READ_AND_WRITE_DEVICE = 1,
};

/// Begins a rule set that forbids every use of files and of TCP that this kernel's Landlock can
/// forbid. Returns its descriptor or -errno.
int earshot_landlock_begin(void);

/// Allows `right` at `path` and beneath it. Returns 0 or -errno; a path that is not there is -ENOENT.
int earshot_landlock_allow(int rules, const char *path, enum earshot_file_right right);

/// Binds this thread, and all that it starts from now on, to the rules, and closes the descriptor.
/// Returns 0 or -errno.
int earshot_landlock_enforce(int rules);

/// From now on no thread of this process can open a file, make or connect a socket, start a thread
/// or a program, or make memory executable. What is open stays usable. Returns 0 or -errno.
int earshot_allow_only_open_descriptors(void);
