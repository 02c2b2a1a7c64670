internal import Glibc

/// A list of C strings that ends with a null pointer, as `posix_spawn` takes it.
@safe struct CStrings: ~Copyable {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ texts: [String]) {
    count = texts.count
    unsafe pointers = .allocate(capacity: texts.count + 1)
    for (index, text) in texts.enumerated() {
      unsafe (pointers + index).initialize(to: strdup(text))
    }
    unsafe (pointers + texts.count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { unsafe free(pointers[index]) }
    unsafe pointers.deallocate()
  }
}
