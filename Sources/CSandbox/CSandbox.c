#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int earshot_die_with_parent(int signal) {
  return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) == 0 ? 0 : -errno;
}

int earshot_leave_no_trace(void) {
  const struct rlimit none = {0, 0};
  // The limit alone does not hold back a program that takes cores through a pipe.
  if (setrlimit(RLIMIT_CORE, &none) != 0) return -errno;
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -errno;
}

int earshot_peer_process(int socket) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -errno;
  return peer.pid;
}

// The kernel's interface, written out: Debian 12's headers know less than the kernels it runs on.
struct landlock_rules {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};
struct landlock_beneath {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

enum {
  landlock_rule_beneath = 1,
  landlock_ask_version = 1,
};
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define FILE_WRITE (1ULL << 1)
#define FILE_READ (1ULL << 2)
#define FOLDER_READ (1ULL << 3)
#define DEVICE_CONTROL (1ULL << 15)

int earshot_landlock_version(void) {
  const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, landlock_ask_version);
  return version < 0 ? -errno : (int)version;
}

/// Every right over files that a version knows: 13 in the first, then refer, truncate, device control.
static uint64_t all_file_rights(int version) {
  uint64_t rights = (1ULL << 13) - 1;
  if (version >= 2) rights |= 1ULL << 13;
  if (version >= 3) rights |= 1ULL << 14;
  if (version >= 5) rights |= DEVICE_CONTROL;
  return rights;
}

int earshot_landlock_begin(void) {
  const int version = earshot_landlock_version();
  if (version < 0) return version;
  const struct landlock_rules rules = {
      .files = all_file_rights(version),
      // Binding and connecting TCP sockets.
      .network = version >= 4 ? 3 : 0,
      // Abstract Unix sockets and signals, to processes that are not bound by these rules.
      .scopes = version >= 6 ? 3 : 0,
  };
  size_t size = sizeof rules.files;
  if (version >= 4) size += sizeof rules.network;
  if (version >= 6) size += sizeof rules.scopes;
  const long made = syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  return made < 0 ? -errno : (int)made;
}

int earshot_landlock_allow(int rules, const char *path, enum earshot_file_right right) {
  const int parent = open(path, O_PATH | O_CLOEXEC);
  if (parent < 0) return -errno;
  struct stat facts;
  if (fstat(parent, &facts) != 0) {
    const int fault = -errno;
    close(parent);
    return fault;
  }
  uint64_t allowed = FILE_READ;
  if (S_ISDIR(facts.st_mode)) allowed |= FOLDER_READ;
  if (right == EARSHOT_READ_AND_WRITE_DEVICE) {
    allowed |= FILE_WRITE;
    if (earshot_landlock_version() >= 5) allowed |= DEVICE_CONTROL;
  }
  const struct landlock_beneath rule = {.allowed = allowed, .parent = parent};
  const long status = syscall(SYS_landlock_add_rule, rules, landlock_rule_beneath, &rule, 0);
  const int fault = status == 0 ? 0 : -errno;
  close(parent);
  return fault;
}

int earshot_landlock_enforce(int rules) {
  int fault = 0;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fault = -errno;
  if (fault == 0 && syscall(SYS_landlock_restrict_self, rules, 0) != 0) fault = -errno;
  close(rules);
  return fault;
}

/// The calls that taking, weighing and reporting sound needs on what is already open. All others are
/// answered EPERM: opening, connecting, starting and the rest.
static const int allowed_calls[] = {
    // Descriptors that are there.
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64),
    SCMP_SYS(lseek), SCMP_SYS(_llseek), SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(fcntl), SCMP_SYS(fcntl64),
    SCMP_SYS(fstat), SCMP_SYS(fstat64), SCMP_SYS(ioctl), SCMP_SYS(poll), SCMP_SYS(ppoll),
    SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_ctl), SCMP_SYS(pipe2), SCMP_SYS(eventfd2),
    // Sockets that are there.
    SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(recvfrom), SCMP_SYS(sendto), SCMP_SYS(recv),
    SCMP_SYS(send), SCMP_SYS(shutdown), SCMP_SYS(getsockopt), SCMP_SYS(setsockopt),
    SCMP_SYS(getpeername), SCMP_SYS(getsockname),
    // Memory, without making any of it executable (below), and its locks.
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(mlock),
    SCMP_SYS(mlock2), SCMP_SYS(munlock), SCMP_SYS(membarrier),
    // The locks and the shared memory of ALSA's own mixer.
    SCMP_SYS(semop), SCMP_SYS(semtimedop), SCMP_SYS(semctl), SCMP_SYS(shmdt), SCMP_SYS(shmctl),
    // Time, threads that are there, signals.
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64), SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(clock_nanosleep_time64), SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(alarm), SCMP_SYS(setitimer),
    SCMP_SYS(timerfd_settime), SCMP_SYS(timerfd_gettime), SCMP_SYS(futex), SCMP_SYS(futex_time64),
    SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
    SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getppid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
    SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(tgkill), SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigreturn), SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(rt_sigsuspend), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(getrandom),
    SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getrusage), SCMP_SYS(getrlimit), SCMP_SYS(prlimit64),
    SCMP_SYS(exit), SCMP_SYS(exit_group),
};

int earshot_allow_only_open_descriptors(void) {
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == NULL) return -ENOMEM;
  int fault = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  for (size_t index = 0; fault == 0 && index < sizeof allowed_calls / sizeof *allowed_calls;
       index++) {
    fault = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_calls[index], 0);
    // A call that this machine does not have needs no rule.
    if (fault == -EDOM) fault = 0;
  }
  const struct scmp_arg_cmp not_executable = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  const int mapping_calls[] = {SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(mprotect)};
  for (size_t index = 0; fault == 0 && index < sizeof mapping_calls / sizeof *mapping_calls;
       index++) {
    fault = seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping_calls[index], 1, not_executable);
    if (fault == -EDOM) fault = 0;
  }
  // The C library asks an open descriptor for its facts by this call, with an empty path.
  if (fault == 0) {
    const struct scmp_arg_cmp of_descriptor =
        SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH);
    fault = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1, of_descriptor);
    if (fault == -EDOM) fault = 0;
  }
  if (fault == 0) fault = seccomp_load(filter);
  seccomp_release(filter);
  return fault;
}
