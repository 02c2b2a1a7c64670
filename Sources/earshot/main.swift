internal import EarshotCommand
internal import Foundation

// Arguments are taken as bytes, because a file's name need not be text.
let words = unsafe CommandLine.unsafeArgv
var arguments: [[UInt8]] = []
for index in 1..<max(1, Int(CommandLine.argc)) {
  guard let word = unsafe words[index] else { break }
  arguments.append(unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
}
exit(Command.run(arguments: arguments))
