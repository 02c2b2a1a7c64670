internal import EarshotCommand
internal import Foundation

// A decoder in libsndfile writes what it thinks of damaged files to C's stream of errors, unasked. Our own
// words go to the descriptor, and don't pass through that stream.
if let stream = unsafe dlsym(nil, "stderr"), let nowhere = unsafe fopen("/dev/null", "we") {
  unsafe stream.assumingMemoryBound(to: UnsafeMutablePointer<FILE>.self).pointee = nowhere
}

// Arguments are taken as bytes, because a file's name need not be text.
let words = unsafe CommandLine.unsafeArgv
var arguments: [[UInt8]] = []
for index in 1..<max(1, Int(CommandLine.argc)) {
  guard let word = unsafe words[index] else { break }
  arguments.append(unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
}
exit(Command.run(arguments: arguments))
