/**
 * The lease could not be renewed in time, or another process holds it: the led work must stop
 * immediately.
 */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost'
}
