#include "CSandbox.h"

#include <errno.h>
#include <sys/prctl.h>

int earshot_die_with_parent(int signal) {
  return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) == 0 ? 0 : -errno;
}
