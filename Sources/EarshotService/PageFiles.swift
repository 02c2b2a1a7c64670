internal import EarshotClient

/// The page's files, which are part of the program.
enum PageFiles {
  static var document: HTTPAnswer { answer(PackageResources.index_html, "text/html") }

  /// - Throws: a problem where the page has no such file.
  static func file(_ name: String) throws(ProblemDetails) -> HTTPAnswer {
    guard let bytes = scripts[name] else { throw .notFound("The page has no such file.") }
    if name.hasSuffix(".svg") { return answer(bytes, "image/svg+xml") }
    return answer(bytes, name.hasSuffix(".css") ? "text/css" : "text/javascript")
  }

  private static let scripts: [String: [UInt8]] = [
    "page.css": PackageResources.page_css,
    "icon.svg": PackageResources.icon_svg,
    "main.js": PackageResources.main_js,
    "daemon.js": PackageResources.daemon_js,
    "texts.js": PackageResources.texts_js,
    "element.js": PackageResources.element_js,
    "screens.js": PackageResources.screens_js,
    "prompt.js": PackageResources.prompt_js,
    "button.js": PackageResources.button_js,
    "privacy.js": PackageResources.privacy_js,
    "captions.js": PackageResources.captions_js,
    "preview.js": PackageResources.preview_js,
  ]

  private static func answer(_ bytes: [UInt8], _ type: String) -> HTTPAnswer {
    .bytes(bytes, type: type + "; charset=utf-8", status: 200, headers: [:])
  }

  /// What a person reads who opens the page without a link that still counts.
  static var noLink: HTTPAnswer {
    let text = """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>Earshot</title>
      <h1>This page takes its one-time link</h1>
      <p>This browser has not come in by a link, or the link was used or is over two minutes old.
      Nothing listens here. Next: run <code>earshot kiosk link</code> and open what it prints.</p>

      """
    return .bytes(
      Array(text.utf8), type: "text/html; charset=utf-8", status: 401, headers: [:])
  }
}
