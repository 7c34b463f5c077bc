import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Change, Entry, ObjectStore } from './object-store.ts'
import { openObjectStore } from './open-object-store.ts'
import type { ObjectStoreOptions } from './store-options.ts'

/** A temporary directory. */
export function scratch(): Disposable & { readonly path: string; readonly file: string } {
  const path = mkdtempSync(join(tmpdir(), 'store-'))
  return { path, file: join(path, 'state.db'), [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A manual clock with timers. */
export class ManualTime {
  nowMs: number
  #timers: { readonly at: number; readonly callback: () => void }[] = []
  constructor(nowMs: number) {
    this.nowMs = nowMs
  }
  readonly now = (): number => this.nowMs
  readonly after = (ms: number, callback: () => void): Disposable => {
    const timer = { at: this.nowMs + ms, callback }
    this.#timers.push(timer)
    return { [Symbol.dispose]: () => (this.#timers = this.#timers.filter((each) => each !== timer)) }
  }
  get armed(): number {
    return this.#timers.length
  }
  /** Advances the clock and fires due timers in order. */
  pass(ms: number): void {
    const end = this.nowMs + ms
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#timers = this.#timers.filter((each) => each !== next)
      this.nowMs = Math.max(this.nowMs, next.at)
      next.callback()
    }
    this.nowMs = end
  }
}

/** Opens a store without fsync, whose reported errors fail the test. */
export function openForTest(path: string, options: Partial<ObjectStoreOptions> = {}): ObjectStore {
  return openObjectStore({ path, now: () => 1_800_000_000_000, synchronous: 'NORMAL', bootId: 'boot-1', ...options })
}

/** An object with a value. */
export function thing(name: string, value: unknown, namespace = 'default'): KubeObject & { readonly value: unknown } {
  return Object.freeze({ apiVersion: 'v1', kind: 'Thing', metadata: Object.freeze({ name, namespace, uid: `uid-${name}` }), value })
}

/** Name, revision and value, for comparison. */
export function show(entry: Entry | undefined): string | undefined {
  if (entry === undefined) return undefined
  const object = entry.object as KubeObject & { value?: unknown }
  return `${object.metadata?.namespace}/${object.metadata?.name}@${entry.revision}=${JSON.stringify(object.value)}`
}

export function showChange(change: Change): string {
  return `${change.type} ${show(change.entry)}${change.previous === undefined ? '' : ` was ${show(change.previous)}`}`
}

/** Creates, updates or deletes on top of the present state. */
export function put(store: ObjectStore, resource: string, name: string, value: unknown, namespace = 'default'): Promise<Entry> {
  const expected = store.getPending(resource, namespace, name)?.revision ?? 0
  return store.write({ resource, namespace, name, expected, object: value === undefined ? undefined : thing(name, value, namespace) })
}
