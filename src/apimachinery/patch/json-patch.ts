import { deepEqual } from '../equality.ts'
import { cloneJson } from '../json/json-clone.ts'
import { isJsonObject, setOwnInto } from '../own-property.ts'

/** One operation of a JSON patch (RFC 6902). Structurally the client's type of the same name. */
export type JsonPatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string }

/**
 * Reason why a JSON patch cannot be applied: a `test` failed, a path does not exist, or the patch
 * itself is malformed.
 */
export type JsonPatchFailure = 'test' | 'path' | 'malformed'

/** A JSON patch cannot be applied. The API server answers 422, or 400 when it is malformed. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError'
  readonly kind: JsonPatchFailure
  /** Index of the operation; -1 for the patch as a whole. */
  readonly index: number
  constructor(kind: JsonPatchFailure, index: number, message: string) {
    super(message)
    this.kind = kind
    this.index = index
  }
}

/** More operations than this are refused, as by the Kubernetes API server. */
export const maximumJsonPatchOperations = 10_000
/**
 * Limit on the total size of all `copy` operations of a patch, in characters: a few operations that
 * double each time would otherwise exhaust memory.
 */
const maximumCopiedCharacters = 3 * 1024 * 1024

/**
 * Options of {@link applyJsonPatch}, by the names of the library that Kubernetes' own programs use.
 */
export interface JsonPatchOptions {
  /** Makes `remove` of an absent path do nothing. Default: false. */
  readonly allowMissingPathOnRemove?: boolean
  /**
   * Creates what is missing on the way of `add`: a list before an index or `-`, an object
   * otherwise. Lists are filled up with null. Default: false.
   */
  readonly ensurePathExistsOnAdd?: boolean
  /** Allows indices that count from the end. Default: true. */
  readonly supportNegativeIndices?: boolean
  /**
   * Limit on the size of all copies in characters. Zero and default: the limit of the API server.
   */
  readonly accumulatedCopySizeLimit?: number
  /**
   * Refuses `replace` and `copy` of an absent key, as the library does since its version 5. Version
   * 4, which the API server and KubeVirt use, sets the key, and copies null. Default: false.
   */
  readonly refusesAbsentValues?: boolean
}

const isIndex = /^(0|[1-9]\d*)$/

/** One application of a patch. Tracks which containers it has already copied and may mutate. */
class Application {
  readonly #owned = new WeakSet<object>()
  readonly #options: JsonPatchOptions
  #copied = 0
  root: unknown
  index = -1

  constructor(document: unknown, options: JsonPatchOptions) {
    this.root = document
    this.#options = options
  }

  fail(kind: JsonPatchFailure, message: string): never {
    throw new JsonPatchError(kind, this.index, message)
  }

  tokens(path: unknown): string[] {
    if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) {
      this.fail('malformed', `Path must be empty or start with "/", and is ${JSON.stringify(path)}`)
    }
    return path
      .split('/')
      .slice(1)
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  }

  /**
   * The position that a token names in a list; `-` and the length itself are only good for adding.
   */
  position(list: readonly unknown[], token: string, adding: boolean): number {
    if (token === '-' && adding) return list.length
    if (!/^-?(0|[1-9]\d*)$/.test(token)) this.fail('path', `List index must be a number, and is ${JSON.stringify(token)}`)
    if (token.startsWith('-') && this.#options.supportNegativeIndices === false) {
      this.fail('path', `List index must not be negative, and is ${token}`)
    }
    const slots = list.length + (adding ? 1 : 0)
    const index = Number(token) < 0 ? Number(token) + slots : Number(token)
    if (index < 0 || index >= slots) this.fail('path', `List index must be less than ${slots}, and is ${token}`)
    return index
  }

  child(container: unknown, token: string): unknown {
    if (Array.isArray(container)) return container[this.position(container, token, false)]
    if (!isJsonObject(container) || !Object.hasOwn(container, token)) this.fail('path', `Path has no ${JSON.stringify(token)}`)
    return container[token]
  }

  #has(path: readonly string[]): boolean {
    try {
      this.get(path)
      return true
    } catch (error) {
      if (error instanceof JsonPatchError) return false
      throw error
    }
  }

  get(path: readonly string[]): unknown {
    return path.reduce((value: unknown, token) => this.child(value, token), this.root)
  }

  own<T extends object>(value: T): T {
    if (this.#owned.has(value)) return value
    const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as T
    this.#owned.add(copy)
    return copy
  }

  /**
   * Returns the container of the last token of the path, safe to mutate; its ancestors are copied.
   */
  parent(path: readonly string[]): object {
    let holder: object = this.#container(this.root)
    this.root = holder
    for (const token of path.slice(0, -1)) {
      const next = this.#container(this.child(holder, token))
      this.#put(holder, token, next)
      holder = next
    }
    return holder
  }

  #container(value: unknown): object {
    if (typeof value !== 'object' || value === null)
      this.fail('path', 'Path must lead through objects and lists, and leads through a scalar')
    return this.own(value)
  }

  #put(holder: object, token: string, value: unknown): void {
    if (Array.isArray(holder)) holder[this.position(holder, token, false)] = value
    else setOwnInto(holder as Record<string, unknown>, token, value)
  }

  add(path: readonly string[], value: unknown): void {
    const last = path.at(-1)
    if (last === undefined) {
      this.root = value
      return
    }
    const holder = this.parent(path)
    if (Array.isArray(holder)) holder.splice(this.position(holder, last, true), 0, value)
    else setOwnInto(holder as Record<string, unknown>, last, value)
  }

  /** Creates missing containers on the way to the last token, if the options ask for it. */
  ensurePath(path: readonly string[]): void {
    if (this.#options.ensurePathExistsOnAdd !== true) return
    for (let length = 1; length < path.length; length++) {
      const way = path.slice(0, length)
      const next = path[length] ?? ''
      if (this.#has(way) && this.get(way) !== null) continue
      const holder = this.parent(way)
      const last = path[length - 1] ?? ''
      if (Array.isArray(holder)) this.#pad(holder, last)
      const isReplaced = this.#has(way)
      const created = next === '-' || isIndex.test(next) ? this.#padded(next) : {}
      if (isReplaced) this.#put(holder, last, created)
      else this.add(way, created)
    }
  }

  #padded(token: string): unknown[] {
    const list = this.own<unknown[]>([])
    this.#pad(list, token)
    return list
  }

  /** Fills a list up with null, so that the index of the token is the next one. */
  #pad(list: unknown[], token: string): void {
    const index = Number(token)
    if (!isIndex.test(token) || index <= list.length) return
    // An index is text of the patch: a large one would exhaust memory.
    if (index > maximumJsonPatchOperations)
      this.fail('malformed', `List index must be at most ${maximumJsonPatchOperations}, and is ${token}`)
    while (list.length < index) list.push(null)
  }

  remove(path: readonly string[]): unknown {
    const last = path.at(-1)
    if (last === undefined) this.fail('path', 'The whole document cannot be removed')
    if (this.#options.allowMissingPathOnRemove === true && !this.#has(path)) return undefined
    const holder = this.parent(path)
    const value = this.child(holder, last)
    if (Array.isArray(holder)) holder.splice(this.position(holder, last, false), 1)
    else delete (holder as Record<string, unknown>)[last]
    return value
  }

  replace(path: readonly string[], value: unknown): void {
    const last = path.at(-1)
    if (last === undefined) {
      this.root = value
      return
    }
    const holder = this.parent(path)
    if (this.#options.refusesAbsentValues === true) this.child(holder, last)
    this.#put(holder, last, value)
  }

  test(path: readonly string[], value: unknown): void {
    if (deepEqual(this.#find(path), value ?? null)) return
    this.fail('test', `Value at "/${path.join('/')}" is not the one tested for`)
  }

  /** Like get, but the last step may miss: an absent key has null. */
  #find(path: readonly string[]): unknown {
    const last = path.at(-1)
    if (last === undefined) return this.root
    const holder = this.get(path.slice(0, -1))
    if (isJsonObject(holder)) return Object.hasOwn(holder, last) ? holder[last] : null
    return this.child(holder, last)
  }

  move(from: readonly string[], path: readonly string[]): void {
    if (path.length > from.length && from.every((token, index) => token === path[index])) {
      this.fail('path', 'A value cannot be moved into itself')
    }
    const value = this.get(from)
    this.remove(from)
    this.add(path, value)
  }

  copy(from: readonly string[], path: readonly string[]): void {
    const value = this.#options.refusesAbsentValues === true ? this.get(from) : this.#find(from)
    this.#copied += (JSON.stringify(value) ?? '').length
    const { accumulatedCopySizeLimit = 0 } = this.#options
    const limit = Math.min(accumulatedCopySizeLimit > 0 ? accumulatedCopySizeLimit : Infinity, maximumCopiedCharacters)
    if (this.#copied > limit) this.fail('malformed', `Copies must add up to at most ${limit} characters, and are ${this.#copied}`)
    this.add(path, cloneJson(value))
  }
}

function valueOf(application: Application, operation: object): unknown {
  if (!('value' in operation) || operation.value === undefined) application.fail('malformed', 'Operation must have a value, and has none')
  return operation.value
}

function perform(application: Application, operation: unknown): void {
  if (!isJsonObject(operation)) application.fail('malformed', 'Operation must be an object')
  const { op, path, from } = operation as { op?: unknown; path?: unknown; from?: unknown }
  const target = application.tokens(path)
  switch (op) {
    case 'add':
      application.ensurePath(target)
      return application.add(target, valueOf(application, operation))
    case 'replace':
      return application.replace(target, valueOf(application, operation))
    case 'remove':
      application.remove(target)
      return
    case 'test':
      return application.test(target, operation['value'])
    case 'move':
      return application.move(application.tokens(from), target)
    case 'copy':
      return application.copy(application.tokens(from), target)
    default:
      return application.fail('malformed', `Operation must be add, remove, replace, move, copy or test, and is ${JSON.stringify(op)}`)
  }
}

/**
 * Applies a JSON patch (RFC 6902) and returns the result, all or nothing. Mutates nothing;
 * unchanged parts are shared with the document. As in the API server, a negative index counts from
 * the end, a test for null holds for an absent key, and `replace` sets one. The operations may come
 * straight from the wire.
 * @throws {JsonPatchError} when an operation fails
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[], options: JsonPatchOptions = {}): unknown {
  if (!Array.isArray(operations)) throw new JsonPatchError('malformed', -1, 'JSON patch must be a list of operations')
  if (operations.length > maximumJsonPatchOperations) {
    const message = `JSON patch must have at most ${maximumJsonPatchOperations} operations, and has ${operations.length}`
    throw new JsonPatchError('malformed', -1, message)
  }
  const application = new Application(document, options)
  for (const [index, operation] of (operations as readonly unknown[]).entries()) {
    application.index = index
    perform(application, operation)
  }
  return application.root
}
