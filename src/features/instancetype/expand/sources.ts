/** Who has decided a value. */
export type Source = 'vm' | 'instancetype' | 'preference' | 'default'

/**
 * Keeps, for every leaf of a document, who has set it: after each step of an expansion the leaves that are new or changed belong to that
 * step's source. No step has to report anything, so none can forget to.
 */
export class SourceLedger {
  #leaves: ReadonlyMap<string, string> = new Map()
  readonly #sources = new Map<string, Source>()

  /** Ascribes to `source` all that has changed in `document` since the last call. */
  record(document: unknown, source: Source): void {
    const leaves = leavesOf(document)
    for (const path of this.#sources.keys()) if (!leaves.has(path)) this.#sources.delete(path)
    for (const [path, value] of leaves) if (this.#leaves.get(path) !== value) this.#sources.set(path, source)
    this.#leaves = leaves
  }

  /** Leaf path (`spec.domain.devices.disks[0].name`, `metadata.annotations[a.b/c]`) → source. */
  get sources(): ReadonlyMap<string, Source> {
    return this.#sources
  }
}

function leavesOf(document: unknown): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>()
  collectInto(leaves, '', document)
  return leaves
}

function collectInto(leaves: Map<string, string>, path: string, value: unknown): void {
  if (value === undefined) return
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) collectInto(leaves, `${path}[${index}]`, item)
    return
  }
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  if (entries.length === 0) leaves.set(path, JSON.stringify(value))
  for (const [key, item] of entries) collectInto(leaves, pathOf(path, key), item)
}

function pathOf(parent: string, key: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${parent}[${key}]`
  return parent === '' ? key : `${parent}.${key}`
}
