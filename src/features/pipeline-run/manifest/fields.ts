/** Something in a manifest that cannot be run. */
export interface Fault {
  /** `spec.tasks[0].matrix`. */
  readonly field: string
  readonly message: string
}

/** A manifest cannot be run: each fault names its field. */
export class ManifestInvalid extends Error {
  override readonly name = 'ManifestInvalid'
  readonly faults: readonly Fault[]
  /** `subject`: `Task "x" of file.yaml`. */
  constructor(subject: string, faults: readonly Fault[]) {
    const list = faults.map(({ field, message }) => `${field}: ${message}`)
    super(`${subject} cannot be run: ${list.join('; ')}`)
    this.faults = faults
  }
}

/**
 * Reads the fields of an object of a manifest, and records what is wrong instead of throwing, so
 * that all faults are reported at once. A field that nothing has read is refused by `onlyKnown`.
 */
export class Fields {
  readonly path: string
  readonly #values: Readonly<Record<string, unknown>>
  readonly #faults: Fault[]
  readonly #read = new Set<string>()

  constructor(value: unknown, path: string, faults: Fault[]) {
    this.path = path
    this.#faults = faults
    this.#values = isObject(value) ? value : {}
    if (!isObject(value)) faults.push({ field: path, message: 'must be an object' })
  }

  /** Records a fault of a field. */
  fault(name: string, message: string): void {
    this.#faults.push({ field: this.pathOf(name), message })
  }

  /** Returns the path of a field; that of the object for an empty name. */
  pathOf(name: string): string {
    return name === '' ? this.path : this.path === '' ? name : `${this.path}.${name}`
  }

  /** Returns the value of a field as it is. */
  raw(name: string): unknown {
    this.#read.add(name)
    // YAML knows null, which is no value.
    return (Object.hasOwn(this.#values, name) ? this.#values[name] : undefined) ?? undefined
  }

  /** Returns a text; numbers and booleans that YAML has made of it are texts, too. */
  text(name: string): string | undefined {
    const value = this.raw(name)
    if (value === undefined || typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    this.fault(name, 'must be a string')
    return undefined
  }

  /** Returns a text that must be there. */
  requiredText(name: string): string {
    const value = this.text(name)
    if (value === undefined || value === '') this.fault(name, 'is missing')
    return value ?? ''
  }

  /** Returns a list of texts; empty when absent. */
  texts(name: string): readonly string[] {
    const value = this.raw(name) ?? []
    if (Array.isArray(value) && value.every((item) => ['string', 'number', 'boolean'].includes(typeof item))) return value.map(String)
    this.fault(name, 'must be a list of strings')
    return []
  }

  flag(name: string): boolean {
    const value = this.raw(name) ?? false
    if (typeof value !== 'boolean') this.fault(name, 'must be true or false')
    return value === true
  }

  /** Returns a whole number that is not negative. */
  count(name: string): number {
    const value = this.raw(name) ?? 0
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
    this.fault(name, 'must be a whole number, and not negative')
    return 0
  }

  /** Returns the fields of an object; undefined when absent. */
  child(name: string): Fields | undefined {
    const value = this.raw(name)
    return value === undefined ? undefined : new Fields(value, this.pathOf(name), this.#faults)
  }

  /** Returns the fields of each object of a list; empty when absent. */
  list(name: string): readonly Fields[] {
    const value = this.raw(name) ?? []
    if (Array.isArray(value)) return value.map((item, index) => new Fields(item, `${this.pathOf(name)}[${index}]`, this.#faults))
    this.fault(name, 'must be a list')
    return []
  }

  /** Ignores fields that change nothing about a run. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name)
  }

  /** Refuses fields that this runner does not carry out, and says why. */
  refuse(reasons: Readonly<Record<string, string>>): void {
    for (const [name, reason] of Object.entries(reasons)) if (this.raw(name) !== undefined) this.fault(name, reason)
  }

  /** Refuses every field that nothing has read. */
  onlyKnown(): void {
    for (const name of Object.keys(this.#values))
      if (!this.#read.has(name)) this.fault(name, 'is not a field that steadyvm can carry out without Tekton')
  }
}

/** Records names that occur twice in a list. */
export function assertUnique(named: readonly { readonly name: string }[], field: string, faults: Fault[]): void {
  const seen = new Set<string>()
  for (const [index, { name }] of named.entries()) {
    if (seen.has(name)) faults.push({ field: `${field}[${index}].name`, message: `"${name}" occurs twice` })
    seen.add(name)
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
