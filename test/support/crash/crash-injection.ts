import { AsyncLocalStorage } from 'node:async_hooks'
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { TransportError, type Client } from '#client/client.ts'

/** Error of every side effect of a killed program. */
class Killed extends Error {
  override readonly name = 'Killed'
}

/**
 * Simulates SIGKILL of one or several components that run inside this process. From the n-th side
 * effect on no effect reaches the disk, a process, QEMU or the API. A crash after an effect equals
 * one before the next effect.
 */
export class CrashInjection {
  steps = 0
  readonly killed: Promise<void>
  /** Names of the effects, in order. */
  readonly effects: string[] = []
  readonly #lastStep: number
  readonly #onStep: (step: number) => void
  #isKilled = false
  #isDisabled = false
  #resolveKilled: () => void = () => {}

  /**
   * Crashes before step `lastStep`, counted from 1; never for 0. `onStep` is called before every
   * step.
   */
  constructor(lastStep: number, onStep: (step: number) => void = () => {}) {
    this.#lastStep = lastStep
    this.#onStep = onStep
    this.killed = new Promise((resolve) => (this.#resolveKilled = resolve))
  }

  get isKilled(): boolean {
    return this.#isKilled
  }

  /** Resolves when the program has made a step, and then none for some milliseconds. */
  async paused(ms: number): Promise<void> {
    for (let seen = 0; seen === 0 || seen !== this.steps; await sleep(ms)) seen = this.steps
  }

  /** Ends the injection: the program is not killed any more, and effects are not counted. */
  disable(): void {
    this.#isDisabled = true
  }

  /** Runs `start` and all asynchronous work that it begins under this injection. */
  run<T>(start: () => T): T {
    return injections.run(this, start)
  }

  /** Counts an effect, and reports whether it takes place. */
  takes(effect: string): boolean {
    if (this.#isDisabled) return true
    if (!this.#isKilled) {
      this.effects.push(effect)
      this.#onStep(++this.steps)
    }
    if (this.steps === this.#lastStep && !this.#isKilled) {
      this.#isKilled = true
      this.#resolveKilled()
    }
    return !this.#isKilled
  }

  /** @throws Killed */
  step(effect: string): void {
    if (!this.takes(effect)) throw new Killed(`The program was killed before ${effect}`)
  }

  /** A client whose writes are steps. */
  client(client: Client): Client {
    const write = async <T>(effect: string, perform: () => Promise<T>): Promise<T> => {
      try {
        this.step(effect)
      } catch (cause) {
        throw new TransportError('the program was killed', { cause })
      }
      return perform()
    }
    return {
      ...client,
      create: (resource, object, options) =>
        write(`create ${resource.plural}`, () => client.create<never, never>(resource as never, object as never, options)),
      update: (resource, object, options) => write(`update ${resource.plural}`, () => client.update(resource, object, options)),
      patch: (resource, key, patch, options) => write(`patch ${resource.plural}`, () => client.patch(resource, key, patch, options)),
      delete: (resource, key, options) => write(`delete ${resource.plural}`, () => client.delete(resource, key, options)),
    }
  }
}

const injections = new AsyncLocalStorage<CrashInjection>()

/**
 * Intercepts the side effects of this process. Calls outside of a {@link CrashInjection} are not
 * affected.
 */
export function installCrashInjection(): void {
  for (const name of ['writeFile', 'rename', 'mkdir', 'rm', 'symlink', 'mkdtemp'] as const) replace(fs.promises, name)
  for (const name of ['writeFileSync', 'renameSync', 'mkdirSync', 'rmSync', 'openSync', 'writeSync'] as const) replace(fs, name)
  for (const name of ['spawn', 'execFile'] as const) replace(childProcess, name)
  replace(process, 'kill')
  replace(Socket.prototype, 'write')
  syncBuiltinESMExports()
}

// oxlint-disable-next-line typescript/no-explicit-any -- functions of all kinds
type Anything = any

function replace<Name extends string>(target: Record<Name, Anything>, name: Name): void {
  const original = target[name] as (...args: unknown[]) => unknown
  target[name] = function (this: unknown, ...args: unknown[]): unknown {
    const injection = isNested || isRead(name, args) ? undefined : injections.getStore()
    const gone = instead.get(name)
    if (gone === undefined) injection?.step(describe(name, args))
    else if (injection?.takes(describe(name, args)) === false) return gone.call(this)
    // Nested calls of these functions count as one effect.
    const outer = isNested
    isNested = true
    try {
      return original.apply(this, args)
    } finally {
      isNested = outer
    }
  }
}

/**
 * Replacements for effects of a killed program that return nothing: it continues, but without an
 * effect. QEMU sees its connection closed.
 */
const instead = new Map<string, (this: unknown) => unknown>([
  ...['writeFile', 'rename', 'mkdir', 'rm', 'symlink'].map((name) => [name, () => Promise.resolve()] as const),
  ...['writeFileSync', 'renameSync', 'mkdirSync', 'rmSync'].map((name) => [name, () => {}] as const),
  ['kill', () => true],
  [
    'write',
    function (this: unknown) {
      ;(this as Socket).destroy()
      return false
    },
  ],
])

let isNested = false

function isRead(name: string, [, flags]: readonly unknown[]): boolean {
  return name === 'openSync' && (flags === undefined || flags === 'r')
}

function describe(name: string, [first]: readonly unknown[]): string {
  return `${name} ${typeof first === 'string' ? first.trim().split('/').slice(-2).join('/') : typeof first}`
}
