import { markedJson, parseMarkedJson } from '#apimachinery/json/long-integers.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Entry } from '../object-store.ts'

const encoder = new TextEncoder()

/**
 * Entry that is parsed or encoded on first use: most entries read from disk are never parsed, and
 * in-process readers need no JSON. Both are getters, so `{ ...entry }` would lose them.
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

  /** Stamps a copy of the object with the revision. */
  static fromObject(object: KubeObject, revision: number): StoredEntry {
    return new StoredEntry(revision, stamp(object, revision), undefined, undefined)
  }

  /** Wraps a row of the database. */
  static fromJson(json: Uint8Array, revision: number): StoredEntry {
    return new StoredEntry(revision, undefined, Buffer.from(json.buffer, json.byteOffset, json.byteLength), undefined)
  }

  /** The same state at another revision, as a deletion shows it. */
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
  return parseMarkedJson((json ?? Buffer.alloc(0)).toString('utf8')) as KubeObject
}

/** Does not use Buffer's shared pool: a long-lived entry would keep a whole slab alive. */
function encode(object: KubeObject): Buffer {
  const bytes = encoder.encode(markedJson(object))
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
