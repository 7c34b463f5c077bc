import { leavesOf, sameLeaf } from '../leaves.ts'

/** Source of a value. */
export type Source = 'vm' | 'instancetype' | 'preference' | 'default'

/**
 * Tracks the source of each leaf of a document by comparing it after each step of an expansion, so
 * that no step has to report its changes.
 */
export class SourceLedger {
  #leaves: ReadonlyMap<string, unknown> = new Map()
  readonly #sources = new Map<string, Source>()

  /** Attributes all changes since the last call to `source`. */
  record(document: unknown, source: Source): void {
    const leaves = leavesOf(document)
    for (const path of this.#sources.keys()) if (!leaves.has(path)) this.#sources.delete(path)
    for (const [path, value] of leaves) {
      if (!this.#leaves.has(path) || !sameLeaf(this.#leaves.get(path), value)) this.#sources.set(path, source)
    }
    this.#leaves = leaves
  }

  /** Sources by leaf path: `spec.domain.devices.disks[0].name`, `metadata.annotations[a.b/c]`. */
  get sources(): ReadonlyMap<string, Source> {
    return this.#sources
  }
}
