internal import CMicroHTTPD
internal import Foundation

/// Reads the parts of a request that libmicrohttpd holds.
enum HTTPFields {
  static func header(_ name: String, of connection: OpaquePointer) -> String? {
    unsafe MHD_lookup_connection_value(connection, MHD_ValueKind.HEADER_KIND, name).map {
      unsafe String(cString: $0)
    }
  }

  /// The query's fields, unescaped; of a repeated name the last one counts.
  static func query(of connection: OpaquePointer) -> [String: String] {
    var fields: [String: String] = [:]
    unsafe withUnsafeMutablePointer(to: &fields) { pointer in
      _ = unsafe MHD_get_connection_values(
        connection, MHD_ValueKind.GET_ARGUMENT_KIND,
        { context, _, name, value in
          guard let context = unsafe context, let name = unsafe name else { return .YES }
          let fields = unsafe context.assumingMemoryBound(to: [String: String].self)
          unsafe fields.pointee[String(cString: name)] =
            unsafe value.map { unsafe String(cString: $0) } ?? ""
          return .YES
        }, pointer)
    }
    return fields
  }

  /// The parts of a path; libmicrohttpd has undone the escapes already.
  static func parts(of path: String) -> [String] {
    path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
  }

  /// Whether an `Accept` header asks for server-sent events.
  static func wantsEvents(_ accept: String?) -> Bool {
    guard let accept else { return false }
    return accept.split(separator: ",").contains { part in
      part.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
        == "text/event-stream"
    }
  }
}
