/**
 * The lease could not be renewed in time, or somebody else has it: what was led must not go on, not
 * even for a moment to finish.
 */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost'
}
