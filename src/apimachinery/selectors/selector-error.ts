/** A label or field selector cannot be understood. The API server answers 400. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
  /** The whole selector. */
  readonly selector: string
  constructor(selector: string, message: string) {
    super(message)
    this.selector = selector
  }
}
