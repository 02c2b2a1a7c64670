/// What a request to the page's listener names. It is a list of its own: nothing else of the API is
/// reachable over TCP.
enum KioskRoute: Sendable, Hashable {
  case enter(String)
  case document
  case file(String)
  case theme
  case setup
  case events
  case prompts
  case answer(String)
  case press
  case listen
  case visit
  case choice
  case savedAll
  case saved(String)
  case items
  case item
  case artwork
  case button
  case captions(listening: String, language: String)
  case captionsChange(String)
  case video

  /// The route of a path, nil where there is none.
  init?(path: [String]) {
    switch path.count {
    case 0: self = .document
    case 1 where path[0] == "theme.css": self = .theme
    case 2 where path[0] == "enter": self = .enter(path[1])
    case 2 where path[0] == "page": self = .file(path[1])
    case 2... where path[0] == "v1": self.init(api: Array(path.dropFirst()))
    default: return nil
    }
  }

  private init?(api path: [String]) {
    switch path {
    case ["kiosk"]: self = .setup
    case ["events"]: self = .events
    case ["prompts"]: self = .prompts
    case ["press"]: self = .press
    case ["listen"]: self = .listen
    case ["visit"]: self = .visit
    case ["visit", "choice"]: self = .choice
    case ["visit", "saved"]: self = .savedAll
    case ["items"]: self = .items
    case ["item"]: self = .item
    case ["artwork"]: self = .artwork
    case ["button"]: self = .button
    case ["video"]: self = .video
    default:
      if path.count == 3, path[0] == "captions" {
        self = .captions(listening: path[1], language: path[2])
      } else if path.count == 2, path[0] == "captions" {
        self = .captionsChange(path[1])
      } else if path.count == 3, path[0] == "prompts", path[2] == "answer" {
        self = .answer(path[1])
      } else if path.count == 3, path[0] == "visit", path[1] == "saved" {
        self = .saved(path[2])
      } else {
        return nil
      }
    }
  }

  /// The methods that the address takes.
  var methods: [String] {
    switch self {
    case .answer, .press, .listen, .choice, .button, .captionsChange: ["POST"]
    case .visit: ["GET", "POST", "DELETE"]
    case .savedAll, .saved: ["DELETE"]
    default: ["GET"]
    }
  }

  /// Whether answering may take long, so that it must not hold others up.
  var isSlow: Bool {
    switch self {
    case .items, .item, .artwork, .video: true
    default: false
    }
  }
}
