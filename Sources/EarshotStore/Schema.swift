/// The steps that bring a file from one version of its schema to the next.
///
/// A step is never changed once released; a new version appends one.
public struct Schema: Sendable {
  /// The number in the file's header that says whose database it is.
  public let applicationIdentifier: Int32
  /// The statements of each version, the first one from an empty file.
  public let versions: [[String]]

  /// Describes a schema whose newest version is the count of `versions`.
  public init(applicationIdentifier: Int32, versions: [[String]]) {
    self.applicationIdentifier = applicationIdentifier
    self.versions = versions
  }
}

extension Database {
  /// Brings the file up to the newest version, each version in a transaction of its own.
  ///
  /// A file of another program and one of a newer build are refused and left as they are.
  public borrowing func migrate(to schema: Schema) throws(StoreError) {
    var version = try checkVersion(of: schema)
    while version < schema.versions.count {
      let steps = schema.versions[version]
      version += 1
      let reached = version
      try transaction(failure: { $0 }) { () throws(StoreError) in
        for step in steps { try execute(step) }
        try execute("PRAGMA application_id=\(schema.applicationIdentifier)")
        try execute("PRAGMA user_version=\(reached)")
      }
    }
  }

  /// The file's version, once it is sure that this build may read it; 0 for an empty file.
  @discardableResult
  public borrowing func checkVersion(of schema: Schema) throws(StoreError) -> Int {
    let version = Int(try number("PRAGMA user_version"))
    let owner = Int(try number("PRAGMA application_id"))
    if owner != Int(schema.applicationIdentifier) {
      let isEmpty = try number("SELECT count(*) FROM sqlite_schema") == 0
      guard owner == 0, version == 0, isEmpty else { throw .foreign(applicationIdentifier: owner) }
    }
    guard version <= schema.versions.count else {
      throw .unreadableVersion(found: version, newest: schema.versions.count)
    }
    return version
  }

  /// The first column of the first row as a number; 0 where there is no row.
  public borrowing func number(_ sql: String, _ values: [Value] = []) throws(StoreError) -> Int64 {
    var statement = try prepare(sql)
    try statement.bind(values)
    return try statement.step() ? statement.integer(at: 0) : 0
  }
}
