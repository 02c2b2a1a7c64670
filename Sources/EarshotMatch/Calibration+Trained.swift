extension Calibration {
  /// The figures of each look, counted on leave-one-out negatives of seed 7.
  static let looks: [Look] = [
    Look(
      seconds: 0.4, scale: 2.29, margin80: 0.71, marginScale: 0.87, bestWrong: 15.1),
    Look(
      seconds: 0.6, scale: 2.44, margin80: 0.90, marginScale: 0.78, bestWrong: 16.5),
    Look(
      seconds: 0.8, scale: 2.52, margin80: 0.91, marginScale: 0.88, bestWrong: 17.7),
    Look(
      seconds: 1.0, scale: 2.58, margin80: 0.98, marginScale: 0.87, bestWrong: 17.8),
    Look(
      seconds: 1.2, scale: 1.71, margin80: 1.22, marginScale: 1.12, bestWrong: 7.7),
    Look(
      seconds: 1.4, scale: 1.69, margin80: 1.41, marginScale: 1.36, bestWrong: 7.5),
    Look(
      seconds: 1.6, scale: 1.82, margin80: 1.08, marginScale: 1.61, bestWrong: 7.7),
    Look(
      seconds: 2.0, scale: 1.87, margin80: 1.34, marginScale: 1.53, bestWrong: 7.4),
    Look(
      seconds: 2.4, scale: 1.91, margin80: 1.27, marginScale: 1.35, bestWrong: 7.0),
    Look(
      seconds: 3.0, scale: 2.13, margin80: 1.27, marginScale: 1.17, bestWrong: 7.6),
    Look(
      seconds: 3.6, scale: 2.35, margin80: 1.15, marginScale: 0.97, bestWrong: 8.7),
    Look(
      seconds: 4.2, scale: 2.12, margin80: 1.30, marginScale: 1.52, bestWrong: 8.5),
    Look(
      seconds: 5.0, scale: 2.04, margin80: 1.59, marginScale: 2.26, bestWrong: 8.3),
  ]
}
