/// The ways a request to the daemon can end without its answer.
public enum ClientError: Error, Sendable, Hashable {
  /// Nobody listens on the socket: no daemon runs, or it left its socket behind.
  ///
  /// `code` is the `errno` of connecting, `ENOENT` or `ECONNREFUSED`; starting a daemon helps.
  case noDaemon(code: Int32)
  /// The socket belongs to somebody else; `code` is `EACCES` or `EPERM`.
  case notPermitted(code: Int32)
  /// A path of a Unix socket holds at most `limit` bytes.
  case socketPathTooLong(length: Int, limit: Int)
  /// The daemon took the connection and did not answer within `seconds`.
  case timedOut(seconds: Double)
  /// The caller's ``Cancellation`` was set.
  case cancelled
  /// The daemon refused, with problem details after RFC 9457.
  case refused(ProblemDetails)
  /// The daemon ended the connection before its answer was complete.
  case connectionLost
  /// An answer or event is larger than `limit` bytes.
  case answerTooLarge(limit: Int)
  /// The answer is not what this client understands; `status` is the HTTP status.
  case unreadableAnswer(status: Int)
  /// The request could not be written as JSON.
  case unwritableRequest
  /// libcurl failed in another way; `code` is its `CURLcode`.
  case transport(code: Int32)
}
