internal import CSystemd
internal import Glibc

/// A connection of one thread's own to the person's session bus.
@safe struct SessionBus: ~Copyable {
  private let bus: OpaquePointer

  /// Nil where there is no session bus.
  init?() {
    var opened: OpaquePointer?
    guard unsafe sd_bus_open_user(&opened) >= 0, let opened = unsafe opened else { return nil }
    unsafe bus = opened
  }

  deinit { unsafe sd_bus_flush_close_unref(bus) }

  /// A value of a call or an answer, as far as these calls need them.
  enum Value: Sendable, Hashable {
    case text(String)
    case path(String)
    case number(UInt32)
    case signed(Int32)
    case texts([String])
    /// Names with values that are texts, flags or bytes.
    case options([String: Option])

    enum Option: Sendable, Hashable {
      case text(String)
      case flag(Bool)
      case byte(UInt8)

      /// The type's letter.
      fileprivate var kind: String {
        switch self {
        case .text: "s"
        case .flag: "b"
        case .byte: "y"
        }
      }
    }
  }

  /// Calls a method and waits for its answer, at most so long; the answer's first value, where it is a
  /// text or a number. Nil where the call failed, and `.texts([])` where the answer holds none.
  func call(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ values: [Value],
    seconds: Double = 2
  ) -> Value? {
    var made: OpaquePointer?
    guard
      unsafe sd_bus_message_new_method_call(bus, &made, service, path, interface, method) >= 0,
      let message = unsafe made
    else { return nil }
    defer { unsafe sd_bus_message_unref(message) }
    for value in values where unsafe !Self.append(value, to: message) { return nil }
    var answered: OpaquePointer?
    guard unsafe sd_bus_call(bus, message, UInt64(seconds * 1e6), nil, &answered) >= 0,
      let answer = unsafe answered
    else { return nil }
    defer { unsafe sd_bus_message_unref(answer) }
    return unsafe Self.first(of: answer) ?? .texts([])
  }

  /// Begins to take signals of an interface.
  func follow(_ interface: String) -> Bool {
    unsafe sd_bus_add_match(
      bus, nil, "type='signal',interface='\(interface)'", { _, _, _ in 0 }, nil) >= 0
  }

  /// Waits at most so long; the names of signals that came, each with its first number.
  func signals(_ interface: String, seconds: Double) -> [(name: String, number: UInt32)]? {
    var found: [(String, UInt32)] = []
    while true {
      var came: OpaquePointer?
      let done = unsafe sd_bus_process(bus, &came)
      if done < 0 { return nil }
      if let message = unsafe came {
        defer { unsafe sd_bus_message_unref(message) }
        if unsafe sd_bus_message_is_signal(message, interface, nil) > 0,
          let member = unsafe sd_bus_message_get_member(message),
          case .number(let number) = unsafe Self.first(of: message)
        {
          found.append((unsafe String(cString: member), number))
        }
      }
      if done == 0 { break }
    }
    if !found.isEmpty { return found }
    let waited = unsafe sd_bus_wait(bus, UInt64(seconds * 1e6))
    return waited < 0 && waited != -EINTR ? nil : []
  }

  private static func code(_ character: Unicode.Scalar) -> CChar {
    CChar(bitPattern: UInt8(ascii: character))
  }

  private static func first(of message: OpaquePointer) -> Value? {
    var kind: CChar = 0
    guard unsafe sd_bus_message_peek_type(message, &kind, nil) > 0 else { return nil }
    if kind == code("u") {
      var number: UInt32 = 0
      return unsafe sd_bus_message_read_basic(message, kind, &number) > 0 ? .number(number) : nil
    }
    guard kind == code("s") else { return nil }
    var text: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(message, kind, &text) > 0, let text = unsafe text else {
      return nil
    }
    return unsafe .text(String(cString: text))
  }

  private static func append(_ value: Value, to message: OpaquePointer) -> Bool {
    switch value {
    case .text(let text): return unsafe sd_bus_message_append_basic(message, code("s"), text) >= 0
    case .path(let path): return unsafe sd_bus_message_append_basic(message, code("o"), path) >= 0
    case .number(var number):
      return unsafe sd_bus_message_append_basic(message, code("u"), &number) >= 0
    case .signed(var number):
      return unsafe sd_bus_message_append_basic(message, code("i"), &number) >= 0
    case .texts(let texts):
      guard unsafe sd_bus_message_open_container(message, code("a"), "s") >= 0 else { return false }
      for text in texts {
        guard unsafe sd_bus_message_append_basic(message, code("s"), text) >= 0 else {
          return false
        }
      }
      return unsafe sd_bus_message_close_container(message) >= 0
    case .options(let options):
      guard unsafe sd_bus_message_open_container(message, code("a"), "{sv}") >= 0 else {
        return false
      }
      for (name, option) in options {
        guard unsafe append(name, option, to: message) else { return false }
      }
      return unsafe sd_bus_message_close_container(message) >= 0
    }
  }

  private static func append(
    _ name: String, _ option: Value.Option, to message: OpaquePointer
  ) -> Bool {
    guard unsafe sd_bus_message_open_container(message, code("e"), "sv") >= 0,
      unsafe sd_bus_message_append_basic(message, code("s"), name) >= 0
    else { return false }
    let kind = option.kind
    guard unsafe sd_bus_message_open_container(message, code("v"), kind) >= 0 else { return false }
    let status: Int32
    switch option {
    case .text(let text):
      status = unsafe sd_bus_message_append_basic(message, code("s"), text)
    case .flag(let flag):
      var number: Int32 = flag ? 1 : 0
      status = unsafe sd_bus_message_append_basic(message, code("b"), &number)
    case .byte(var byte):
      status = unsafe sd_bus_message_append_basic(message, code("y"), &byte)
    }
    guard status >= 0, unsafe sd_bus_message_close_container(message) >= 0 else { return false }
    return unsafe sd_bus_message_close_container(message) >= 0
  }
}
