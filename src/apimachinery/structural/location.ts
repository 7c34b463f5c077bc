/**
 * Current path of a traversal. It is formatted only for an error, which keeps the traversal cheap.
 */
export class Location {
  readonly #steps: (string | number)[] = []

  /** Goes down: a number is a list index, a string is printed as it is (`.name`, `[key]`). */
  push(step: string | number): void {
    this.#steps.push(step)
  }

  pop(): void {
    this.#steps.pop()
  }

  /** `spec.disks[0].name`; the empty text at the root. */
  toString(): string {
    const text = this.#steps.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join('')
    return text.startsWith('.') ? text.slice(1) : text
  }
}
