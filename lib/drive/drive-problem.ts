/** The target cannot be driven, or the history is too long to be. */
export class DriveProblem extends Error {
  override readonly name = 'DriveProblem';
}
