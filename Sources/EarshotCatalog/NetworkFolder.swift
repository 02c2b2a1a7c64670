import Glibc

/// Whether a file lies with another machine.
///
/// There a lock holds only if the server keeps it, and a file may be changed by machines that know
/// nothing of this one's locks.
public enum NetworkFolder {
  /// The network file system that holds a file or folder, or would hold a file of that name, by the
  /// kernel's name for it; nil for local ones and where it can't be told.
  public static func kind(of path: [UInt8]) -> String? {
    for place in [path, Paths.split(path).folder] {
      var facts = stat()
      guard unsafe Paths.withCString(place, { unsafe stat($0, &facts) }) == 0 else { continue }
      guard let list = unsafe fopen("/proc/self/mountinfo", "re") else { return nil }
      defer { unsafe fclose(list) }
      let device = UInt64(facts.st_dev)
      var line: UnsafeMutablePointer<CChar>?
      var capacity = 0
      defer { unsafe free(line) }
      while true {
        let count = unsafe getline(&line, &capacity, list)
        guard count > 0, let line = unsafe line else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: line, count: count)
        if let kind = unsafe kind(ofDevice: device, in: String(decoding: bytes, as: UTF8.self)) {
          return kind
        }
      }
    }
    return nil
  }

  /// File systems whose files lie with another machine.
  private static let networkKinds: Set<String> = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "coda", "ncpfs", "fuse.sshfs",
    "fuse.glusterfs", "fuse.davfs", "davfs", "fuse.s3fs", "fuse.rclone",
  ]

  /// The network file system that one line of `/proc/self/mountinfo` tells of, if it is the device's.
  static func kind(ofDevice device: UInt64, in line: String) -> String? {
    // Number, parent, device, root, place, options, any tags, a dash, and the kind.
    let words = line.split(separator: " ")
    let major = device >> 8 & 0xfff | device >> 32 & ~0xfff
    let minor = device & 0xff | device >> 12 & ~0xff
    guard words.count > 6, words[2] == "\(major):\(minor)",
      let dash = words.dropFirst(6).firstIndex(of: "-"), dash + 1 < words.count
    else { return nil }
    let kind = String(words[dash + 1])
    return networkKinds.contains(kind) ? kind : nil
  }
}
