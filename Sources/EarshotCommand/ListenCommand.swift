internal import EarshotClient
internal import Foundation

/// `earshot listen`: asks the daemon to listen, shows its questions, and prints the answer.
enum ListenCommand {
  /// Carries it out.
  static let run: CommandSpecification.Action = { (typed, console) throws(CommandError) in
    let plan = try ListenPlan(typed, language: console.language)
    Interruption.begin()
    let connection = try DaemonConnection(socket: plan.socket)
    defer { connection.end() }
    var conversation = try ListenConversation(plan, connection: connection, console: console)
    return try conversation.run()
  }
}
