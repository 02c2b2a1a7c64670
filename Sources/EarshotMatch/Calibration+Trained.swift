extension Calibration {
  // Made by `Scripts/train` from 1574 listenings of up to 16 s, all speeds, to sound that is not in
  // the catalog, cut at 287 places (dev-7-30, dev-77-60). Never edited by hand.

  /// The tails of those listenings: in the first second, then after it, each first at the reference's
  /// own speed and then at others.
  static let tails = [
    Tail(beginning: 4.07, scale: 1.10, certainty: 4.37),
    Tail(beginning: 3.53, scale: 1.00, certainty: 4.37),
    Tail(beginning: 4.22, scale: 1.00, certainty: 4.37),
    Tail(beginning: 4.33, scale: 1.34, certainty: 4.37),
  ]

  /// The share of right answers that are decided within one unit of certainty above the accepted one.
  static let rightDensity = 0.105

  /// The figures of each look.
  static let looks: [Look] = [
    Look(
      seconds: 0.4, scale: 2.45, margin80: 0.49, marginScale: 0.68, bestWrong: 12.1),
    Look(
      seconds: 0.6, scale: 2.46, margin80: 0.63, marginScale: 0.72, bestWrong: 12.2),
    Look(
      seconds: 0.8, scale: 2.72, margin80: 0.68, marginScale: 0.86, bestWrong: 13.3),
    Look(
      seconds: 1.0, scale: 2.60, margin80: 0.82, marginScale: 1.00, bestWrong: 13.1),
    Look(
      seconds: 1.2, scale: 1.86, margin80: 1.02, marginScale: 1.29, bestWrong: 7.9),
    Look(
      seconds: 1.4, scale: 1.87, margin80: 1.02, marginScale: 1.27, bestWrong: 7.4),
    Look(
      seconds: 1.6, scale: 1.87, margin80: 0.96, marginScale: 1.65, bestWrong: 8.2),
    Look(
      seconds: 2.0, scale: 1.97, margin80: 0.93, marginScale: 1.75, bestWrong: 7.4),
    Look(
      seconds: 2.4, scale: 2.03, margin80: 0.92, marginScale: 1.75, bestWrong: 7.9),
    Look(
      seconds: 3.0, scale: 2.16, margin80: 0.88, marginScale: 1.68, bestWrong: 8.1),
    Look(
      seconds: 3.6, scale: 2.31, margin80: 0.91, marginScale: 1.84, bestWrong: 8.4),
    Look(
      seconds: 4.2, scale: 2.36, margin80: 0.94, marginScale: 1.87, bestWrong: 8.3),
    Look(
      seconds: 5.0, scale: 2.57, margin80: 0.93, marginScale: 1.67, bestWrong: 8.2),
    Look(
      seconds: 6.0, scale: 2.70, margin80: 0.80, marginScale: 1.96, bestWrong: 8.0),
    Look(
      seconds: 7.0, scale: 2.88, margin80: 0.68, marginScale: 1.78, bestWrong: 7.8),
    Look(
      seconds: 8.0, scale: 3.07, margin80: 0.66, marginScale: 1.87, bestWrong: 7.9),
    Look(
      seconds: 10.0, scale: 3.46, margin80: 0.49, marginScale: 1.91, bestWrong: 8.2),
    Look(
      seconds: 12.0, scale: 3.88, margin80: 0.31, marginScale: 1.96, bestWrong: 8.8),
    Look(
      seconds: 14.0, scale: 4.31, margin80: 0.25, marginScale: 1.68, bestWrong: 8.8),
    Look(
      seconds: 16.0, scale: 4.59, margin80: 0.14, marginScale: 1.52, bestWrong: 8.9),
  ]
}
