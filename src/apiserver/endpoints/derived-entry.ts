import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'

/**
 * An entry that differs from what is stored: another API version, the result of a dry run, a Scale.
 * Its JSON is encoded on first use.
 */
export class DerivedEntry implements Entry {
  readonly object: KubeObject
  readonly revision: number
  #json: Buffer | undefined

  constructor(object: KubeObject, revision: number) {
    this.object = object
    this.revision = revision
  }

  get json(): Buffer {
    this.#json ??= Buffer.from(JSON.stringify(this.object))
    return this.#json
  }
}
