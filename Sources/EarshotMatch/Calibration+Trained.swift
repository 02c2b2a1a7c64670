extension Calibration {
  // Made by `Scripts/train` from 619 listenings of 3 s, 303 of them on to 16 s, all speeds, to sound that
  // is not in the catalog, cut at 180 places (dev-7-30). The figures past 3 s, and the tails after the first
  // second, come from an earlier count, before the moving share was weighed, and were put in by hand; one
  // drone among those listenings, which the moving share stops, was left out of the tails.

  /// The tails of those listenings: in the first second, then after it, each first at the reference's
  /// own speed and then at others.
  static let tails = [
    Tail(beginning: 4.27, scale: 1.09, certainty: 3.43),
    Tail(beginning: 4.07, scale: 1.00, certainty: 3.43),
    Tail(beginning: 3.99, scale: 1.00, certainty: 3.43),
    Tail(beginning: 4.80, scale: 2.10, certainty: 3.43),
  ]

  /// The share of right answers that are decided within one unit of certainty above the accepted one.
  static let rightDensity = 0.077

  /// The figures of each look.
  static let looks: [Look] = [
    Look(
      seconds: 0.4, scale: 2.38, margin80: 0.47, marginScale: 0.53, bestWrong: 11.4),
    Look(
      seconds: 0.6, scale: 2.34, margin80: 0.75, marginScale: 0.64, bestWrong: 11.4),
    Look(
      seconds: 0.8, scale: 2.55, margin80: 0.71, marginScale: 0.66, bestWrong: 12.3),
    Look(
      seconds: 1.0, scale: 2.44, margin80: 0.87, marginScale: 0.88, bestWrong: 12.2),
    Look(
      seconds: 1.2, scale: 1.79, margin80: 0.94, marginScale: 1.21, bestWrong: 7.4),
    Look(
      seconds: 1.4, scale: 1.84, margin80: 1.04, marginScale: 0.96, bestWrong: 7.0),
    Look(
      seconds: 1.6, scale: 1.84, margin80: 0.81, marginScale: 1.14, bestWrong: 7.6),
    Look(
      seconds: 2.0, scale: 1.95, margin80: 0.73, marginScale: 1.09, bestWrong: 6.7),
    Look(
      seconds: 2.4, scale: 1.98, margin80: 0.78, marginScale: 1.06, bestWrong: 7.1),
    Look(
      seconds: 3.0, scale: 2.11, margin80: 0.76, marginScale: 1.18, bestWrong: 7.2),
    Look(
      seconds: 3.6, scale: 2.58, margin80: 1.01, marginScale: 1.32, bestWrong: 9.5),
    Look(
      seconds: 4.2, scale: 2.52, margin80: 1.01, marginScale: 1.34, bestWrong: 9.1),
    Look(
      seconds: 5.0, scale: 2.67, margin80: 0.75, marginScale: 1.39, bestWrong: 8.3),
    Look(
      seconds: 6.0, scale: 2.93, margin80: 0.61, marginScale: 1.24, bestWrong: 8.3),
    Look(
      seconds: 7.0, scale: 3.20, margin80: 0.52, marginScale: 1.37, bestWrong: 8.4),
    Look(
      seconds: 8.0, scale: 3.35, margin80: 0.66, marginScale: 1.38, bestWrong: 8.5),
    Look(
      seconds: 10.0, scale: 3.81, margin80: 0.36, marginScale: 1.65, bestWrong: 8.9),
    Look(
      seconds: 12.0, scale: 4.23, margin80: 0.17, marginScale: 1.59, bestWrong: 9.6),
    Look(
      seconds: 14.0, scale: 4.60, margin80: 0.20, marginScale: 1.45, bestWrong: 9.9),
    Look(
      seconds: 16.0, scale: 4.79, margin80: 0.19, marginScale: 1.35, bestWrong: 10.1),
  ]
}
