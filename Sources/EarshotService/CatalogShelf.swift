internal import EarshotCatalog
internal import EarshotClient
internal import Foundation

/// Finds the catalogs that a listening searches.
struct CatalogShelf: Sendable {
  let configured: [String]
  let folder: String

  /// The paths that a request's names stand for: whole paths, or names in the data folder; the
  /// configured or found ones where it names none.
  func paths(for names: [String]) throws(ListenStop) -> [String] {
    guard names.count <= ServiceLimits.catalogs else { throw .error(.noCatalog) }
    guard !names.isEmpty else {
      let all = standing
      if all.isEmpty { throw .error(.noCatalog) }
      return all
    }
    var paths: [String] = []
    for name in names {
      if name.hasPrefix("/") {
        paths.append(name)
      } else if !name.contains("/"), let path = standing.first(where: { Self.name(of: $0) == name })
      {
        paths.append(path)
      } else {
        throw .error(name.contains("/") ? .unnamedCatalog : .noCatalog)
      }
    }
    return paths
  }

  /// The configured catalogs, or else those in the data folder, in the order of their names.
  var standing: [String] {
    guard configured.isEmpty else { return configured }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".earshot") && !$0.hasPrefix(".") }.sorted()
      .prefix(ServiceLimits.catalogs).map { folder + "/" + $0 }
  }

  /// A file's name without its folder and ending.
  static func name(of path: String) -> String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    return last.hasSuffix(".earshot") ? String(last.dropLast(8)) : last
  }

  /// - Throws: what is wrong with the first catalog that can't be opened.
  func check(_ paths: [String]) throws(ListenStop) {
    for path in paths {
      do throws(CatalogError) {
        _ = try Catalog(path: path)
      } catch {
        throw .error(.catalog(error))
      }
    }
  }

  /// One catalog as it is listed.
  static func message(_ path: String) -> CatalogMessage {
    do throws(CatalogError) {
      let catalog = try Catalog(path: path)
      return CatalogMessage(
        name: name(of: path), path: path, items: catalog.itemCount, bytes: catalog.byteCount,
        problem: nil)
    } catch {
      return CatalogMessage(
        name: name(of: path), path: path, items: 0, bytes: 0, problem: .catalog(error))
    }
  }
}
