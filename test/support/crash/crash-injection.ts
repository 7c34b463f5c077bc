import { AsyncLocalStorage } from 'node:async_hooks'
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { TransportError, type Client } from '#client/client.ts'

/** Error of every side effect of a killed program. */
class Killed extends Error {
  override readonly name = 'Killed'
}

/**
 * The life of one program, or of several that die together, inside this process. It ends just
 * before its n-th side effect: from then on nothing that it does reaches the disk, a process, QEMU
 * or the API, as after SIGKILL. Just after one effect is just before the next.
 */
export class CrashInjection {
  steps = 0
  readonly died: Promise<void>
  /** Names of the effects, in order. */
  readonly effects: string[] = []
  readonly #lastStep: number
  readonly #onStep: (step: number) => void
  #isDead = false
  #isSpared = false
  #die: () => void = () => {}

  /**
   * Dies before step `lastStep`, counted from 1; never for 0. `onStep` is called before every step.
   */
  constructor(lastStep: number, onStep: (step: number) => void = () => {}) {
    this.#lastStep = lastStep
    this.#onStep = onStep
    this.died = new Promise((resolve) => (this.#die = resolve))
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Ends the injection: the program is not killed any more, and effects are not counted. */
  spare(): void {
    this.#isSpared = true
  }

  /** Does what `start` does as part of this life, with everything that follows from it. */
  live<T>(start: () => T): T {
    return lives.run(this, start)
  }

  /** Counts an effect, and reports whether it takes place. */
  takes(effect: string): boolean {
    if (this.#isSpared) return true
    if (!this.#isDead) {
      this.effects.push(effect)
      this.#onStep(++this.steps)
    }
    if (this.steps === this.#lastStep && !this.#isDead) {
      this.#isDead = true
      this.#die()
    }
    return !this.#isDead
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

const lives = new AsyncLocalStorage<CrashInjection>()

/**
 * Makes mortal what this process does to the world. For the whole process, but without effect
 * outside of a {@link CrashInjection}.
 */
export function makeMortal(): void {
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
    const life = isNested || isRead(name, args) ? undefined : lives.getStore()
    const gone = instead.get(name)
    if (gone === undefined) life?.step(describe(name, args))
    else if (life?.takes(describe(name, args)) === false) return gone.call(this)
    // What one of these functions does by means of another is one effect.
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
 * Results of effects in a dead program that return nothing: it may continue, but without an effect.
 * QEMU sees its connection end.
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
