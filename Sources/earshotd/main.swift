import EarshotService
import EarshotSession
import Glibc

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "--worker" { Worker.run(arguments: words) }
exit(Daemon.run(arguments: words))
