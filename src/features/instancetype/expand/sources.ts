import { leavesOf, sameLeaf } from '../leaves.ts'

/** Who has decided a value. */
export type Source = 'vm' | 'instancetype' | 'preference' | 'default'

/**
 * Keeps, for every leaf of a document, who has set it: after each step of an expansion the leaves
 * that are new or changed belong to that step's source. No step has to report anything, so none can
 * forget to.
 */
export class SourceLedger {
  #leaves: ReadonlyMap<string, unknown> = new Map()
  readonly #sources = new Map<string, Source>()

  /** Ascribes to `source` all that has changed in `document` since the last call. */
  record(document: unknown, source: Source): void {
    const leaves = leavesOf(document)
    for (const path of this.#sources.keys()) if (!leaves.has(path)) this.#sources.delete(path)
    for (const [path, value] of leaves) {
      if (!this.#leaves.has(path) || !sameLeaf(this.#leaves.get(path), value)) this.#sources.set(path, source)
    }
    this.#leaves = leaves
  }

  /** Leaf path (`spec.domain.devices.disks[0].name`, `metadata.annotations[a.b/c]`) → source. */
  get sources(): ReadonlyMap<string, Source> {
    return this.#sources
  }
}
