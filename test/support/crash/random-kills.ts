import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { signalProcess, type ClusterProcess } from '#machine/supervisor/processes.ts'
import type { TestMachine } from '../machine.ts'

/** A process that was killed. */
export interface Kill {
  readonly at: string
  readonly role: string
  readonly pod: string
  readonly pid: number
}

/** Options of {@link RandomKills}. */
export interface KillOptions {
  readonly random: SeededRandom
  /** How often a process of a container or role is killed, compared with others. Absent: never. */
  readonly weights: Readonly<Record<string, number>>
  /** Longest pause between two kills, in milliseconds. */
  readonly longestPauseMs: number
  /** Number of kills after which it ends. */
  readonly count: number
  readonly onKill?: (kill: Kill) => void
}

/** Kills processes of a cluster at random times, until it has killed enough of them. */
export class RandomKills {
  readonly done: Kill[] = []
  readonly #machine: TestMachine
  readonly #options: KillOptions
  #isOver = false
  #holds = 0
  readonly #killing: Promise<void>

  constructor(machine: TestMachine, options: KillOptions) {
    this.#machine = machine
    this.#options = options
    this.#killing = this.#run()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Kills nothing until disposal. */
  hold(): Disposable {
    this.#holds += 1
    return { [Symbol.dispose]: () => void (this.#holds -= 1) }
  }

  /** Stops it, and waits for its end. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#killing
  }

  /** Number of kills by role. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...Map.groupBy(this.done, ({ role }) => role)].map(([role, all]) => [role, all.length]))
  }

  async #run(): Promise<void> {
    const { random, count, longestPauseMs } = this.#options
    while (!this.#isOver && this.done.length < count) {
      await sleep(random.number() * longestPauseMs)
      if (this.#holds > 0) continue
      const chosen = this.#choose(this.#machine.processes())
      if (chosen === undefined) continue
      signalProcess(chosen, 'SIGKILL')
      const { role, pod, node, pid } = chosen
      const kill = { at: new Date().toISOString(), role, pod: pod === '' ? node : pod, pid }
      this.done.push(kill)
      this.#options.onKill?.(kill)
      // Nothing else starts one again.
      if (role === 'supervisor') await this.#machine.steadyvm('up')
    }
    this.#isOver = true
  }

  #choose(all: readonly ClusterProcess[]): ClusterProcess | undefined {
    const { random, weights } = this.#options
    const present = Map.groupBy(
      all.filter(({ role }) => (weights[role] ?? 0) > 0),
      ({ role }) => role,
    )
    const total = [...present.keys()].reduce((sum, role) => sum + (weights[role] ?? 0), 0)
    let left = random.number() * total
    for (const [role, alike] of present) {
      left -= weights[role] ?? 0
      if (left >= 0) continue
      const chosen = alike[random.below(alike.length)]
      return chosen !== undefined && isRestarted(chosen, all) ? chosen : undefined
    }
    return undefined
  }
}

/**
 * A kubelet and its supervisor start each other again. When both are killed, only `steadyvm up`
 * does.
 */
function isRestarted({ role, node }: ClusterProcess, all: readonly ClusterProcess[]): boolean {
  const partner = { kubelet: 'supervisor', supervisor: 'kubelet' }[role]
  return partner === undefined || all.some((other) => other.role === partner && other.node === node)
}
