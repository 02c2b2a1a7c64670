internal import EarshotClient

/// What goes wrong with a preview, in three sentences' parts (rule A4).
extension DaemonText {
  static var noBrowser: Explanation {
    Explanation(
      reason: "no-browser", happened: "No Chromium is installed that could draw the page.",
      means: "Nothing was drawn.",
      next: "Install one with its fonts: apt-get install chromium fonts-inter fonts-ebgaramond "
        + "fonts-noto-core fonts-noto-cjk.")
  }

  static var browserBroken: Explanation {
    Explanation(
      reason: "browser", happened: "The browser ended or did not answer.",
      means: "Pictures that are missing were not drawn.",
      next: "Run it again; if it fails again, see whether chromium --headless=new starts by itself."
    )
  }

  static func noSize(_ text: String) -> Explanation {
    Explanation(
      reason: "size", happened: "'\(text)' is no size of a screen.", means: "Nothing was drawn.",
      next: "Give it as WIDTHxHEIGHT in pixels, for example 1920x1080.")
  }
}
