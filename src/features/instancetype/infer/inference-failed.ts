/**
 * A volume does not tell what is to be inferred from it. `ignorable`: the volume is there, but is
 * of a sort, or lacks a label, from which nothing can be inferred; a matcher with policy Ignore is
 * then dropped.
 */
export class InferenceFailed extends Error {
  override readonly name = 'InferenceFailed'
  readonly ignorable: boolean
  constructor(message: string, ignorable: boolean) {
    super(message)
    this.ignorable = ignorable
  }
}
