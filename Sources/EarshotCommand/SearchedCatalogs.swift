internal import EarshotCatalog
internal import EarshotClient
internal import EarshotMatch
internal import Foundation

/// The catalogs that queries are searched in.
struct SearchedCatalogs: Sendable {
  let catalogs: [Catalog]
  /// Their files, as they were named.
  let paths: [[UInt8]]
  /// How each catalog is called in answers: its file's name without folder and ending.
  let names: [String]
  let space: SearchSpace

  /// Opens the files that were named, or all catalogs of the data folder where none was.
  init(_ named: [[UInt8]]) throws(CommandError) {
    let paths = named.isEmpty ? try SearchedCatalogs.ownCatalogs() : named
    var catalogs: [Catalog] = []
    for path in paths {
      do throws(CatalogError) {
        catalogs.append(try Catalog(path: path))
      } catch {
        throw CatalogText.explained(error, path: path)
      }
    }
    do throws(MatchError) {
      space = try SearchSpace(catalogs)
    } catch {
      throw .matching(error, paths: paths)
    }
    self.catalogs = catalogs
    self.paths = paths
    names = paths.map(SearchedCatalogs.name)
  }

  /// The catalogs of the person's data folder, by name.
  private static func ownCatalogs() throws(CommandError) -> [[UInt8]] {
    let folder = dataFolder(ProcessInfo.processInfo.environment)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let found = names.filter { $0.hasSuffix(".earshot") }.sorted()
      .map { Array((folder + "/" + $0).utf8) }
    guard found.isEmpty else { return found }
    throw .explained(SearchText.noCatalog(folder), .error)
  }

  /// The folder of the person's catalogs. Without HOME the system's own list of people is asked.
  static func dataFolder(_ environment: [String: String]) -> String {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      return data + "/earshot/catalogs"
    }
    let home = environment["HOME"] ?? NSHomeDirectory()
    return home + "/.local/share/earshot/catalogs"
  }

  private static func name(_ path: [UInt8]) -> String {
    let file = path.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? path
    let name = Shown.lossless(file)
    return name.hasSuffix(".earshot") ? String(name.dropLast(".earshot".count)) : name
  }
}
