import Foundation
import Testing

/// What folders on other machines do differently, put in front of the kernel by a small library: no locks,
/// no file without a name, no moving over what is open, no syncing of folders, lost connections.
@Suite("Catalogs in network folders", .serialized) struct NetworkFolderTests {
  /// Each call fails with the number that the environment gives it.
  private static let layer = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <stdarg.h>
    #include <stdlib.h>
    #include <sys/file.h>
    #include <sys/mman.h>
    #include <sys/stat.h>
    static int fails(const char *name) {
      const char *number = getenv(name);
      if (number) errno = atoi(number);
      return number != 0;
    }
    #define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
    int flock(int file, int what) {
      return (what & LOCK_EX) && fails("AT_LOCK") ? -1 : REAL(flock)(file, what);
    }
    int rename(const char *from, const char *to) {
      return fails("AT_MOVE") ? -1 : REAL(rename)(from, to);
    }
    int fsync(int file) {
      struct stat facts;
      fstat(file, &facts);
      return fails(S_ISDIR(facts.st_mode) ? "AT_FOLDER" : "AT_SYNC") ? -1 : REAL(fsync)(file);
    }
    void *mmap(void *at, size_t count, int allow, int how, int file, off_t from) {
      if (file >= 0 && fails("AT_MAP")) return MAP_FAILED;
      return REAL(mmap)(at, count, allow, how, file, from);
    }
    int open(const char *path, int how, ...) {
      va_list rest;
      va_start(rest, how);
      int mode = va_arg(rest, int);
      va_end(rest);
      if ((how & O_TMPFILE) == O_TMPFILE && fails("AT_UNNAMED")) return -1;
      return REAL(open)(path, how, mode);
    }
    """

  /// A folder with the layer, two tunes and a catalog of the first; `old` is its copy.
  private static func folder() throws -> PersonalFolder {
    let person = try PersonalFolder()
    for seed in 1...2 {
      try TuneFile.write(
        TuneFile.samples(seed: UInt64(seed), seconds: 6), to: person.path + "/\(seed).wav")
    }
    try layer.write(toFile: person.path + "/layer.c", atomically: true, encoding: .utf8)
    let made = try person.run(
      """
      { clang -shared -fPIC -o layer.so layer.c || cc -shared -fPIC -o layer.so layer.c -ldl; } 2>&1 &&
      earshot catalog create -o c.earshot 1.wav && cp c.earshot old
      """)
    try #require(made.status == 0, "\(made.output)\(made.errors)")
    return person
  }

  /// Runs a command over the layer; then says whether the catalog is as it was, and what else is there.
  private static func run(_ faults: String, _ words: String, _ person: PersonalFolder) throws
    -> (status: Int32, errors: String, isSame: Bool, hidden: String)
  {
    let ended = try person.run(
      """
      env LD_PRELOAD=$PWD/layer.so \(faults) $(command -v earshot) \(words) >out; status=$?
      cmp -s c.earshot old && echo same; ls -A | grep -E '^[.].*(partial|d.earshot)'
      exit $status
      """)
    let lines = ended.output.split(separator: "\n").map(String.init)
    return (
      ended.status, ended.errors, lines.contains("same"),
      lines.filter { $0 != "same" }.joined(separator: " ")
    )
  }

  @Test(
    "O-27: where nothing can be locked no catalog is changed, which is said, and a new one is written",
    arguments: [ENOLCK, EOPNOTSUPP])
  func locks(failure: Int32) throws {
    let person = try Self.folder()
    for words in ["add c.earshot 2.wav", "remove c.earshot 1.wav", "update c.earshot"] {
      let ended = try Self.run("AT_LOCK=\(failure)", "catalog \(words)", person)
      #expect(ended.status == 2 && ended.isSame && ended.hidden.isEmpty, "\(ended)")
      #expect(ended.errors.contains("cannot be locked against other changes"), "\(ended.errors)")
      #expect(ended.errors.contains("Copy it to a local disk"), "\(ended.errors)")
    }
    let made = try Self.run("AT_LOCK=\(failure)", "catalog create -o d.earshot 2.wav", person)
    #expect(made.status == 0 && made.hidden.isEmpty, "\(made)")
    let found = try Self.run("AT_LOCK=\(failure)", "match --catalog d.earshot 2.wav", person)
    #expect(found.status == 0, "\(found.errors)")
  }

  @Test(
    "O-27: what can't be replaced stays as it was, with the cause and what to do about it",
    arguments: [
      ("AT_UNNAMED=\(EOPNOTSUPP) AT_MOVE=\(EBUSY)", "has the file open"),
      ("AT_MOVE=\(ETXTBSY)", "has the file open"), ("AT_SYNC=\(EIO)", "connection to its server"),
      ("AT_SYNC=\(EDQUOT)", "Make room"), ("AT_UNNAMED=\(EROFS)", "that you may write to"),
      ("AT_MAP=\(ENODEV)", "Copy it to a local disk"),
    ])
  func replacing(faults: String, advice: String) throws {
    let person = try Self.folder()
    let ended = try Self.run(faults, "catalog add c.earshot 2.wav", person)
    #expect(ended.status == 2 && ended.isSame && ended.hidden.isEmpty, "\(ended)")
    #expect(ended.errors.contains(advice), "\(ended.errors)")
  }

  @Test("a folder that can't be synced is no fault, and one that fails to is told with the truth")
  func folders() throws {
    let person = try Self.folder()
    for failure in [EINVAL, EOPNOTSUPP] {
      let ended = try Self.run(
        "AT_UNNAMED=\(EOPNOTSUPP) AT_FOLDER=\(failure)", "catalog add c.earshot 2.wav", person)
      #expect(ended.status == 0 && !ended.isSame && ended.hidden.isEmpty, "\(ended)")
      _ = try person.run("cp old c.earshot")
    }
    let ended = try Self.run("AT_FOLDER=\(EIO)", "catalog add c.earshot 2.wav", person)
    #expect(ended.status == 2 && !ended.isSame && ended.hidden.isEmpty, "\(ended)")
    #expect(ended.errors.contains("The new one is in place"), "\(ended.errors)")
  }

  @Test("what another machine writes in a shared folder is left alone")
  func otherMachine() throws {
    let person = try Self.folder()
    // A process of that number is not here, but it may be there.
    let ended = try person.run(
      """
      touch .c.earshot.feed-4194305-1.partial
      earshot catalog add c.earshot 2.wav && ls .c.earshot.*.partial
      """)
    #expect(ended.output.contains("feed-4194305-1"), "\(ended.output)\(ended.errors)")
  }
}
