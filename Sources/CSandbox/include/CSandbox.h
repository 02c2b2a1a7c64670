#pragma once

/// Asks the kernel to send `signal` to this process when its parent thread ends. Returns 0 or -errno.
int earshot_die_with_parent(int signal);
