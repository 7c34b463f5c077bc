import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Entry } from '../object-store.ts'

const encoder = new TextEncoder()

/**
 * Entry of which only one form is made at first: what was read from disk is parsed when somebody
 * asks for the object, what only in-process readers look at is never encoded. Both are getters: `{
 * ...entry }` would lose them.
 */
export class StoredEntry implements Entry {
  readonly revision: number
  #object: KubeObject | undefined
  #json: Buffer | undefined
  #origin: Entry | undefined

  private constructor(revision: number, object: KubeObject | undefined, json: Buffer | undefined, origin: Entry | undefined) {
    this.revision = revision
    this.#object = object
    this.#json = json
    this.#origin = origin
  }

  /** The object as it is stored at this revision; `object` itself stays as it is. */
  static fromObject(object: KubeObject, revision: number): StoredEntry {
    return new StoredEntry(revision, stamp(object, revision), undefined, undefined)
  }

  /** What a row of the database holds. */
  static fromJson(json: Uint8Array, revision: number): StoredEntry {
    return new StoredEntry(revision, undefined, Buffer.from(json.buffer, json.byteOffset, json.byteLength), undefined)
  }

  /** The same state under another revision: what a deletion shows. */
  static restamped(entry: Entry, revision: number): StoredEntry {
    return new StoredEntry(revision, undefined, undefined, entry)
  }

  get object(): KubeObject {
    this.#object ??= this.#origin === undefined ? parse(this.#json) : stamp(this.#origin.object, this.revision)
    return this.#object
  }

  get json(): Buffer {
    this.#json ??= encode(this.object)
    return this.#json
  }
}

function stamp(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

function parse(json: Buffer | undefined): KubeObject {
  return JSON.parse((json ?? Buffer.alloc(0)).toString('utf8')) as KubeObject
}

/**
 * Never from Buffer's shared pool: entries live long, and one of them would keep a whole slab
 * alive.
 */
function encode(object: KubeObject): Buffer {
  const bytes = encoder.encode(JSON.stringify(object))
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
