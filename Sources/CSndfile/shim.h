#pragma once

#include <sndfile.h>
#include <sys/resource.h>
#include <sys/types.h>

// Three calls of Linux that the C library declares for GNU sources only, which Swift's import of it
// doesn't see. All are used on sound that comes through pipes.
extern ssize_t tee(int from, int to, size_t count, unsigned int flags);
extern int pipe2(int ends[2], int flags);
extern int prlimit(pid_t process, int resource, const struct rlimit *limit, struct rlimit *old);
