import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlreadyExists, isConflict, isNotFound, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { TransportError, type Client } from '#client/client.ts'

const pollMs = 400
/**
 * Milliseconds after which a wait asks for peace: with enough kills, nothing is ever completed.
 */
const untilPeaceMs = 90_000

/** A user who repeats what fails while components are killed, and gives up after a limit. */
export class PatientClient {
  readonly #client: Client
  readonly #namespace: string
  readonly #limitMs: number
  /** Stops kills until disposal. The limit counts from then on. */
  hold: () => Disposable = () => ({ [Symbol.dispose]: () => {} })
  /** Longest time in milliseconds that anything took. */
  longest: { readonly what: string; readonly ms: number } = { what: '', ms: 0 }

  constructor(client: Client, namespace: string, limitMs: number) {
    this.#client = client
    this.#namespace = namespace
    this.#limitMs = limitMs
  }

  /** Repeats a request until the server has answered it. */
  async insist<T>(what: string, request: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + this.#limitMs
    for (;;) {
      try {
        return await request()
      } catch (error) {
        if (!isTransient(error)) throw new Error(`${what}: ${String(error)}`, { cause: error })
        if (Date.now() > deadline) throw new Error(`${what} fails for ${this.#limitMs / 1000} s: ${String(error)}`, { cause: error })
        await sleep(pollMs)
      }
    }
  }

  async find<T extends KubeObject>(resource: ResourceType<T>, name: string): Promise<T | undefined> {
    return this.insist(`get ${resource.plural} ${name}`, async () => {
      try {
        return await this.#client.get(resource, this.#keyOf(resource, name))
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw error
      }
    })
  }

  async get<T extends KubeObject>(resource: ResourceType<T>, name: string): Promise<T> {
    return (await this.find(resource, name)) ?? assert.fail(`${resource.kind} ${name} is gone`)
  }

  async list<T extends KubeObject>(resource: ResourceType<T>): Promise<readonly T[]> {
    const where = resource.namespaced ? { namespace: this.#namespace } : {}
    return (await this.insist(`list ${resource.plural}`, () => this.#client.list(resource, where))).items
  }

  async listAll<T extends KubeObject>(resource: ResourceType<T>): Promise<readonly T[]> {
    return (await this.insist(`list all ${resource.plural}`, () => this.#client.list(resource))).items
  }

  /** Creates an object; an earlier attempt may have succeeded without an answer. */
  async create<T extends KubeObject>(resource: ResourceType<T>, name: string, spec: object, metadata: object = {}): Promise<void> {
    const { group, version, kind } = resource
    const apiVersion = group === '' ? version : `${group}/${version}`
    const object = { apiVersion, kind, metadata: { ...metadata, name, namespace: this.#namespace }, spec }
    await this.insist(`create ${resource.plural} ${name}`, async () => {
      try {
        await this.#client.create(resource, object as KubeObject)
      } catch (error) {
        if (!isAlreadyExists(error)) throw error
      }
    })
  }

  async patch<T extends KubeObject>(resource: ResourceType<T>, name: string, body: object): Promise<void> {
    await this.insist(`patch ${resource.plural} ${name}`, () =>
      this.#client.patch(resource, this.#keyOf(resource, name), { type: 'merge', body }),
    )
  }

  /** Deletes an object, and waits until it is gone. */
  async remove<T extends KubeObject>(resource: ResourceType<T>, name: string): Promise<void> {
    await this.insist(`delete ${resource.plural} ${name}`, async () => {
      try {
        await this.#client.delete(resource, this.#keyOf(resource, name))
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    })
    await this.until(`${resource.kind} ${name} is deleted`, async () => (await this.find(resource, name)) === undefined)
  }

  /** Waits until an object is as wanted, and returns it. */
  async settled<T extends KubeObject>(resource: ResourceType<T>, name: string, isSettled: (object: T) => boolean): Promise<T> {
    let last: T | undefined
    await this.until(
      `${resource.kind} ${name} settles`,
      async () => {
        last = await this.find(resource, name)
        return last !== undefined && isSettled(last)
      },
      () => JSON.stringify(last),
    )
    return last ?? assert.fail()
  }

  /** Waits until a condition holds. Fails after the limit. */
  async until(what: string, holds: () => Promise<boolean> | boolean, describe: () => string = () => ''): Promise<void> {
    const started = Date.now()
    let deadline = started + untilPeaceMs
    using peace = new DisposableStack()
    for (let isHeld = false; !(await holds());) {
      if (Date.now() > deadline) {
        if (isHeld) assert.fail(`not in ${this.#limitMs / 1000} s without a kill: ${what}. ${describe()}`)
        isHeld = true
        peace.use(this.hold())
        deadline = Date.now() + this.#limitMs
      }
      await sleep(pollMs)
    }
    const ms = Date.now() - started
    if (ms > this.longest.ms) this.longest = { what, ms }
  }

  #keyOf(resource: ResourceType<never> | ResourceType<KubeObject>, name: string): { namespace: string; name: string } {
    return { namespace: resource.namespaced ? this.#namespace : '', name }
  }
}

/** A component was killed while it answered, or another client has written meanwhile. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return true
  return error instanceof StatusError && (isConflict(error) || error.status.code === 429 || (error.status.code ?? 500) >= 500)
}
