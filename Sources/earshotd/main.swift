import EarshotService
import EarshotSession
import Glibc

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "--worker" { Worker.run(arguments: words) }
if words.first == "--desktop-agent" { exit(DesktopAgent.run(arguments: Array(words.dropFirst()))) }
exit(Daemon.run(arguments: words))
