#pragma once

#include <microhttpd.h>

// libmicrohttpd starts and asks through variadic functions, which Swift cannot call.

/// Serves on `listening`, a bound Unix socket, from one thread of the library's own.
static inline struct MHD_Daemon *
earshot_http_start(int listening, unsigned int connections, size_t connection_memory,
                   unsigned int idle_seconds, MHD_AccessHandlerCallback handle,
                   MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connected,
                   void *context) {
  return MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
      handle, context, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT,
      connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, connected, context, MHD_OPTION_END);
}

/// The descriptor of a connection, or -1.
static inline int earshot_http_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

/// What the connection callback stored for a connection, or NULL.
static inline void *earshot_http_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}
