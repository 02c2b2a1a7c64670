internal import EarshotAudio
internal import EarshotCatalog
internal import EarshotSignature
internal import Foundation
internal import Synchronization

/// Turns sound files into signatures on all cores, handing them over in the order of the files.
///
/// Each core decodes and analyses a file of its own; while one waits for its file or for `ffmpeg`,
/// the others go on. At most a few finished signatures a core wait for an earlier file, so memory
/// doesn't grow with the collection. A file that can't be read never stops the others. With a
/// journal each signature is kept as soon as it is finished, and what is in the journal already is
/// not decoded again.
final class CatalogBuild: Sendable {
  /// What became of one file.
  enum Result: Sendable {
    case done(Signature, FileFacts)
    /// It is in the journal, so that it needs no memory.
    case kept(SignatureJournal.Place)
    case failed(AudioError)
  }

  /// How far the work has come.
  struct Progress: Sendable {
    var filesDone = 0
    var filesFailed = 0
    var bytesDone = 0
    var secondsDone = 0.0
    /// Files that an interrupted build had finished.
    var filesResumed = 0
    var bytesResumed = 0
  }

  private struct State {
    var nextIndex = 0
    var finished: [Int: Result] = [:]
    var progress = Progress()
  }

  private let files: [SoundFiles.Found]
  private let journal: SignatureJournal?
  private let state = Mutex(State())
  private let isStopped = Atomic(false)
  private let room: DispatchSemaphore
  private let news = DispatchSemaphore(value: 0)
  private let threadCount: Int

  /// Finished files that may wait for an earlier one, for each thread.
  private static let waitingPerThread = 4
  /// Threads have this long to end when a person or a signal asked for it.
  private static let endSeconds = 2.0
  /// Samples decoded at a time: 2 s.
  private static let blockSampleCount = 32_768

  init(_ files: [SoundFiles.Found], threadCount: Int, journal: SignatureJournal? = nil) {
    self.files = files
    self.journal = journal
    self.threadCount = max(1, min(threadCount, files.count))
    // It begins at zero and is raised, because one that ends lower than it began ends the process,
    // and a build that is stopped early leaves files waiting.
    room = DispatchSemaphore(value: 0)
    for _ in 0..<(self.threadCount * Self.waitingPerThread) { room.signal() }
  }

  /// How far the work has come.
  var progress: Progress { state.withLock { $0.progress } }

  /// Works through all files. `take` gets each result in order, and returns false to stop;
  /// `tick` is called a few times a second, and returns false to stop. Returns whether all is done.
  func run(take: (Int, Result) -> Bool, tick: () -> Bool) -> Bool {
    let ended = DispatchGroup()
    for _ in 0..<threadCount {
      ended.enter()
      let thread = Thread { [self] in
        work()
        ended.leave()
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
    defer {
      isStopped.store(true, ordering: .releasing)
      for _ in 0..<threadCount { room.signal() }
      // A thread that waits for a slow disk or a pipe doesn't hold up whoever pressed Ctrl-C.
      if Interruption.isRequested {
        _ = ended.wait(timeout: .now() + Self.endSeconds)
      } else {
        ended.wait()
      }
    }
    for index in files.indices {
      while true {
        if let result = state.withLock({ $0.finished.removeValue(forKey: index) }) {
          room.signal()
          guard take(index, result) else { return false }
          break
        }
        _ = news.wait(timeout: .now() + 0.2)
        guard tick() else { return false }
      }
    }
    return true
  }

  private func work() {
    while true {
      room.wait()
      guard !isStopped.load(ordering: .acquiring) else { return }
      let next = state.withLock { state -> Int? in
        guard state.nextIndex < files.count else { return nil }
        state.nextIndex += 1
        return state.nextIndex - 1
      }
      guard let index = next else {
        room.signal()
        return
      }
      let result: Result
      do throws(AudioError) {
        let file = files[index]
        if let known = known(file) { result = known } else { result = try analysed(file) }
      } catch {
        result = .failed(error)
      }
      state.withLock { state in
        state.finished[index] = result
        state.progress.filesDone += 1
        if case .failed = result { state.progress.filesFailed += 1 }
        state.progress.bytesDone += files[index].byteCount
      }
      news.signal()
    }
  }

  /// What an interrupted build has kept of the file.
  private func known(_ file: SoundFiles.Found) -> Result? {
    guard let journal, let key = SignatureJournal.Key(path: file.path),
      let place = journal.place(of: key), let entry = journal.entry(at: place),
      FileFacts(entry.note) != nil
    else { return nil }
    state.withLock {
      $0.progress.filesResumed += 1
      $0.progress.bytesResumed += file.byteCount
    }
    return .kept(place)
  }

  private func analysed(_ file: SoundFiles.Found) throws(AudioError) -> Result {
    let key = journal == nil ? nil : SignatureJournal.Key(path: file.path)
    var reader = try SoundReader(path: file.path)
    var analyzer = ReferenceAnalyzer()
    var worth = SoundWorth()
    var block = SampleBlock(capacity: Self.blockSampleCount)
    while try reader.read(into: &block) > 0 {
      guard !isStopped.load(ordering: .acquiring) else { break }
      guard analyzer.sampleCount + block.count <= Signature.sampleCountMax else {
        throw .tooLong(
          limitSeconds: Double(Signature.sampleCountMax) / Double(AnalyzerSettings.sampleRate))
      }
      analyzer.append(block.samples)
      worth.take(block.samples)
      let seconds = Double(block.count) / Double(AnalyzerSettings.sampleRate)
      state.withLock { $0.progress.secondsDone += seconds }
      block.removeAll()
    }
    var facts = FileFacts(reader.facts)
    let signature = analyzer.finish()
    facts.warnings += worth.warnings(signature)
    // A part of a file, or a file that has changed meanwhile, is not what its key says.
    if !isStopped.load(ordering: .acquiring), let journal, let key,
      key == SignatureJournal.Key(path: file.path),
      let place = journal.append(signature, note: facts.bytes, key: key)
    {
      return .kept(place)
    }
    return .done(signature, facts)
  }
}
