internal import CCurl
internal import Glibc

/// What the daemon's answer looks like before its body is read.
struct AnswerHead: Sendable {
  var status: Int
  var contentType: String
}

/// libcurl's two handles of one request, and the headers they point at.
@safe private struct TransferHandles: ~Copyable {
  let easy: UnsafeMutableRawPointer
  let multi: UnsafeMutableRawPointer
  let headers: UnsafeMutablePointer<curl_slist>?

  /// libcurl asks for this once before the first handle; a static is made once by the language.
  private static let isReady = curl_global_init(0) == CURLE_OK

  init(headerLines: [String]) throws(ClientError) {
    guard Self.isReady, let easy = unsafe curl_easy_init() else {
      throw .transport(code: Int32(CURLE_FAILED_INIT.rawValue))
    }
    guard let multi = unsafe curl_multi_init() else {
      unsafe curl_easy_cleanup(easy)
      throw .transport(code: Int32(CURLE_OUT_OF_MEMORY.rawValue))
    }
    var list: UnsafeMutablePointer<curl_slist>?
    for line in headerLines {
      if let longer = unsafe curl_slist_append(list, line) { unsafe list = longer }
    }
    unsafe self.easy = easy
    unsafe self.multi = multi
    unsafe headers = list
  }

  deinit {
    unsafe curl_multi_remove_handle(multi, easy)
    unsafe curl_easy_cleanup(easy)
    unsafe curl_multi_cleanup(multi)
    unsafe curl_slist_free_all(headers)
  }
}

/// One HTTP request over the Unix socket.
struct Transfer: ~Copyable {
  private let handles: TransferHandles
  private let sink = Sink()

  /// Bytes that libcurl delivered and nobody has looked at yet.
  private final class Sink {
    var bytes: [UInt8] = []
  }

  /// Makes a request that asks for answers of the `accept` types.
  init(accept: String) throws(ClientError) {
    handles = try TransferHandles(headerLines: [
      "Accept: \(accept)", "Content-Type: application/json", "Expect:",
    ])
  }

  /// Says what to send and where; nothing is sent before ``run(quietSeconds:cancellation:take:)``.
  func setUp(
    socket: String, method: String, path: String, body: [UInt8]?
  ) throws(ClientError) {
    var codes = unsafe [
      earshot_curl_set_text(handles.easy, CURLOPT_UNIX_SOCKET_PATH, socket),
      earshot_curl_set_text(handles.easy, CURLOPT_URL, "http://localhost" + path),
      // A proxy from the environment must never see a request for the daemon.
      earshot_curl_set_text(handles.easy, CURLOPT_PROXY, ""),
      earshot_curl_set_text(handles.easy, CURLOPT_CUSTOMREQUEST, method),
      earshot_curl_set_text(handles.easy, CURLOPT_PROTOCOLS_STR, "http"),
      // Without it libcurl raises SIGALRM and ignores SIGPIPE behind the program's back.
      earshot_curl_set_long(handles.easy, CURLOPT_NOSIGNAL, 1),
      earshot_curl_set_long(handles.easy, CURLOPT_FOLLOWLOCATION, 0),
      earshot_curl_keep_from_children(handles.easy),
      earshot_curl_set_list(handles.easy, CURLOPT_HTTPHEADER, handles.headers),
      earshot_curl_set_writer(
        handles.easy,
        { bytes, size, count, context in
          guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
          let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
          let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
          unsafe sink.bytes.append(contentsOf: buffer)
          return size * count
        }, Unmanaged.passUnretained(sink).toOpaque()),
    ]
    if let body {
      let code = unsafe body.withUnsafeBytes { bytes in
        unsafe earshot_curl_copy_body(
          handles.easy, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
      }
      codes.append(code)
    }
    if let failed = codes.first(where: { $0 != CURLE_OK }) {
      throw .transport(code: Int32(failed.rawValue))
    }
    guard unsafe curl_multi_add_handle(handles.multi, handles.easy) == CURLM_OK else {
      throw .transport(code: Int32(CURLE_FAILED_INIT.rawValue))
    }
  }

  /// Runs the request on the calling thread until its end.
  ///
  /// - Parameters:
  ///   - quietSeconds: The longest wait for the next byte.
  ///   - take: Gets the head and each piece of the body; returns whether to go on.
  func run(
    quietSeconds: Double, cancellation: Cancellation?,
    take: (AnswerHead, [UInt8]) throws(ClientError) -> Bool
  ) throws(ClientError) -> AnswerHead {
    var lastByte = monotonicSeconds()
    while true {
      var running: Int32 = 0
      guard unsafe curl_multi_perform(handles.multi, &running) == CURLM_OK else {
        throw .transport(code: Int32(CURLE_RECV_ERROR.rawValue))
      }
      if !sink.bytes.isEmpty {
        lastByte = monotonicSeconds()
        let piece = sink.bytes
        sink.bytes.removeAll(keepingCapacity: true)
        guard try take(head, piece) else { return head }
      }
      if let cancellation, cancellation.isCancelled { throw .cancelled }
      if running == 0 { break }
      guard monotonicSeconds() - lastByte < quietSeconds else {
        throw .timedOut(seconds: quietSeconds)
      }
      wait(for: cancellation)
    }
    try checkEnd()
    return head
  }

  private var head: AnswerHead {
    let type = unsafe earshot_curl_content_type(handles.easy)
    return AnswerHead(
      status: unsafe earshot_curl_get_long(handles.easy, CURLINFO_RESPONSE_CODE),
      contentType: unsafe type.map { unsafe String(cString: $0) } ?? "")
  }

  private func wait(for cancellation: Cancellation?) {
    var extra = curl_waitfd()
    extra.fd = cancellation?.descriptor ?? -1
    extra.events = Int16(CURL_WAIT_POLLIN)
    // A quarter of a second is only the pace of the checks; bytes and cancellation wake it at once.
    _ = unsafe curl_multi_poll(handles.multi, &extra, extra.fd < 0 ? 0 : 1, 250, nil)
  }

  private func checkEnd() throws(ClientError) {
    var left: Int32 = 0
    guard let message = unsafe curl_multi_info_read(handles.multi, &left) else {
      throw .connectionLost
    }
    let code = unsafe message.pointee.data.result
    switch code {
    case CURLE_OK: return
    case CURLE_COULDNT_CONNECT:
      let number = Int32(unsafe earshot_curl_get_long(handles.easy, CURLINFO_OS_ERRNO))
      throw number == EACCES || number == EPERM
        ? .notPermitted(code: number) : .noDaemon(code: number)
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      throw .connectionLost
    default: throw .transport(code: Int32(code.rawValue))
    }
  }
}

/// Seconds on the clock that no correction moves.
private func monotonicSeconds() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
