/**
 * A volume has no default to infer. `ignorable`: the volume exists, but its kind or its labels
 * provide none; a matcher with policy Ignore is then removed.
 */
export class InferenceFailed extends Error {
  override readonly name = 'InferenceFailed'
  readonly ignorable: boolean
  constructor(message: string, ignorable: boolean) {
    super(message)
    this.ignorable = ignorable
  }
}
