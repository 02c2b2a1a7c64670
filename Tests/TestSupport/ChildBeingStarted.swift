import Foundation
import Glibc

/// A process that has been forked off and doesn't run its own program yet, so that it still has a copy of every
/// descriptor of this one, also of those that are closed when it gets that far.
package final class ChildBeingStarted: Sendable {
  package struct NotStarted: Error {}

  private let folder: TemporaryFolder
  private let ended = DispatchSemaphore(value: 0)

  package init() throws {
    folder = try TemporaryFolder()
    let (gate, begun) = (folder.file("gate"), folder.file("begun"))
    guard mkfifo(gate, 0o600) == 0 else { throw NotStarted() }
    // Whoever starts a process waits until it runs its program, so that takes a thread of its own.
    let thread = Thread { [ended] in
      defer { ended.signal() }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_addopen(&actions, 0, begun, O_WRONLY | O_CREAT, 0o600)
      posix_spawn_file_actions_addopen(&actions, 0, gate, O_RDONLY, 0)
      var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
      defer { words.forEach { free($0) } }
      var process: pid_t = 0
      if posix_spawn(&process, "/bin/true", &actions, nil, &words, nil) == 0 {
        waitpid(process, nil, 0)
      }
    }
    thread.start()
    let end = Date().addingTimeInterval(20)
    while access(begun, F_OK) != 0 {
      guard Date() < end else { throw NotStarted() }
      usleep(1000)
    }
  }

  /// Lets it run its program, and waits for its end.
  deinit {
    let gate = open(folder.file("gate"), O_RDWR | O_CLOEXEC)
    ended.wait()
    close(gate)
  }
}
