extension Calibration {
  /// The figures of each look.
  static let looks: [Look] = [
    Look(
      seconds: 0.4, scale: 1.86, margin80: 0.26, marginScale: 0.45, bestWrong: 11),
    Look(
      seconds: 0.6, scale: 2.98, margin80: 0.17, marginScale: 0.39, bestWrong: 13),
    Look(
      seconds: 0.8, scale: 3.35, margin80: 0.15, marginScale: 0.33, bestWrong: 14),
    Look(
      seconds: 1, scale: 3.93, margin80: 0.09, marginScale: 0.27, bestWrong: 16),
    Look(
      seconds: 1.25, scale: 1.80, margin80: 0.62, marginScale: 0.92, bestWrong: 4.5),
    Look(
      seconds: 1.5, scale: 1.82, margin80: 0.56, marginScale: 0.85, bestWrong: 4.4),
    Look(
      seconds: 2, scale: 1.94, margin80: 0.53, marginScale: 0.80, bestWrong: 4.6),
    Look(
      seconds: 2.5, scale: 2.08, margin80: 0.47, marginScale: 0.92, bestWrong: 5.2),
    Look(
      seconds: 3, scale: 2.17, margin80: 0.47, marginScale: 0.86, bestWrong: 5.6),
    Look(
      seconds: 4, scale: 2.67, margin80: 0.77, marginScale: 1.04, bestWrong: 8.5),
    Look(
      seconds: 5, scale: 3.02, margin80: 0.60, marginScale: 1.04, bestWrong: 10),
    Look(
      seconds: 6.5, scale: 3.37, margin80: 0.59, marginScale: 1.14, bestWrong: 11),
    Look(
      seconds: 8, scale: 3.54, margin80: 0.60, marginScale: 1.70, bestWrong: 13),
    Look(
      seconds: 10, scale: 3.90, margin80: 0.50, marginScale: 1.46, bestWrong: 14),
    Look(
      seconds: 13, scale: 4.22, margin80: 0.51, marginScale: 1.76, bestWrong: 16),
    Look(
      seconds: 16, scale: 4.65, margin80: 0.50, marginScale: 1.60, bestWrong: 18),
  ]
}
