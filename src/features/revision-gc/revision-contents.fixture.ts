import assert from 'node:assert/strict'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { changesBetween, decodeRevision, type Family } from '#features/instancetype/index.ts'

/** Contents of revisions, numbered. */
export class RevisionContents {
  readonly #contents: unknown[] = []
  readonly #known = new WeakMap<ControllerRevision, number>()
  /** The content of a name never changes. */
  readonly #byName = new Map<string, number>()

  /** @throws AssertionError when it cannot be decoded, or its name has had another content */
  of(revision: ControllerRevision, family: Family, { written, where }: { readonly written: string; readonly where: string }): number {
    const id = this.#known.get(revision) ?? this.idOf(decodeRevision(revision, family).object.spec)
    this.#known.set(revision, id)
    for (const name of [written, revision.metadata.name ?? '']) {
      assert.equal(id, this.#byName.get(name) ?? id, `${where}, which means something else`)
      this.#byName.set(name, id)
    }
    return id
  }

  idOf(spec: unknown): number {
    const known = this.#contents.findIndex((content) => changesBetween(content, spec).length === 0)
    return known === -1 ? this.#contents.push(spec) - 1 : known
  }
}
