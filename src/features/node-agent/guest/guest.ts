import { rm } from 'node:fs/promises'
import type { Clock } from '#runtime/clock.ts'
import {
  forgetKeptHardware,
  inspectLauncher,
  readKeptHardware,
  readLaunchRecord,
  releaseLauncher,
  writeKeptHardware,
  writeLaunchRecord,
  type LauncherPaths,
  type LauncherProcess,
  type LaunchRecord,
} from '#features/launcher/index.ts'
import {
  connectQmp,
  isRunning,
  pressPowerButton,
  queryRunState,
  quit,
  resume,
  type LowWater,
  type OutgoingObserved,
  type QmpConnection,
  type RunState,
} from '#qemu/index.ts'

/**
 * Milliseconds that QEMU may take to greet on its monitor, and to answer. One that takes longer
 * hangs, and must not make others wait.
 */
const answerTimeoutMs = 2_000

/** A guest on its way. */
export interface OutgoingMigration {
  readonly observed: OutgoingObserved
}

/** A fact whose first sighting starts a time limit. A restarted agent starts the limit anew. */
export type TimedFact = 'orphaned' | 'asked-to-stop' | 'launcher-gone' | 'told-to-quit' | 'idle-vcpus'

/** What a migration waits for, and since when this process has waited. */
export interface MigrationWait {
  /**
   * `ownership`: the target has to write that the guest is its own. `target-after-source-exit`: the
   * source QEMU has ended, and only the target can have the guest. `postcopy-recovery`: the stream
   * was cut, and the rest of the memory is still at the source.
   */
  readonly kind: 'ownership' | 'target-after-source-exit' | 'postcopy-recovery'
  readonly sinceMs: number
  /** Since when QEMU listens anew. `postcopy-recovery` only. */
  readonly listeningSinceMs?: number
}

/**
 * One guest as this process sees it: the files of its pod, and the connection to its QEMU while
 * there is one. Everything that matters is on disk or in QEMU, so that a new process can take over
 * at any time.
 */
export class Guest implements Disposable {
  readonly podUid: string
  readonly paths: LauncherPaths
  /** The least that was ever left to move to another node, and since when. */
  lowestRemaining: LowWater | undefined
  /** What its CPUs can do, once asked. */
  cpuFeatures: readonly string[] | undefined
  /** Its stream to another node, as this process saw it last. Undefined when there is none. */
  outgoing: OutgoingMigration | undefined
  /** Whether the kernel was found not to let it run before all of its memory is there. */
  withoutPostCopy = false
  /** Plugged processors that the guest was seen to run. */
  startedVcpus = 0
  /** How often QEMU was asked for and did not answer. */
  waits = 0
  #presses: { readonly firstMs: number; readonly lastMs: number } | undefined
  readonly #firstSeenMs = new Map<TimedFact, number>()
  #migrationWait: MigrationWait | undefined
  #record: LaunchRecord | undefined
  #connection: QmpConnection | undefined
  #released = false
  #fingerprint: string | undefined
  readonly #clock: Clock
  readonly #onChange: () => void

  /** `onChange` is called when QEMU tells of something, or goes away. */
  constructor(podUid: string, paths: LauncherPaths, clock: Clock, onChange: () => void) {
    this.podUid = podUid
    this.#clock = clock
    this.paths = paths
    this.#onChange = onChange
  }

  /** What the guest was launched with, or undefined when it has not been. */
  async record(): Promise<LaunchRecord | undefined> {
    this.#record ??= await readLaunchRecord(this.paths)
    return this.#record
  }

  /** The fingerprint of this launch that is on record, or undefined when nobody has looked yet. */
  async recordedFingerprint(): Promise<string | undefined> {
    this.#fingerprint ??= await readKeptHardware(this.paths)
    return this.#fingerprint
  }

  async saveFingerprint(fingerprint: string): Promise<void> {
    await writeKeptHardware(this.paths, fingerprint)
    this.#fingerprint = fingerprint
  }

  /** What the guest sees is to be looked at again. */
  async clearFingerprint(): Promise<void> {
    await forgetKeptHardware(this.paths)
    this.#fingerprint = undefined
  }

  /** When this process pressed the power button; undefined when it has not. */
  get presses(): { readonly firstMs: number; readonly lastMs: number } | undefined {
    return this.#presses
  }

  /** Returns when this process first saw the fact: `nowMs` on the first call. */
  firstSeenMs(fact: TimedFact, nowMs: number): number {
    const sinceMs = this.#firstSeenMs.get(fact) ?? nowMs
    this.#firstSeenMs.set(fact, sinceMs)
    return sinceMs
  }

  /** Starts the fact's time limit anew, should it become true again. */
  clear(fact: TimedFact): void {
    this.#firstSeenMs.delete(fact)
  }

  /** Returns the wait of this kind. A wait of another kind, or none, is replaced by one that starts now. */
  waitFor(kind: MigrationWait['kind'], nowMs: number): MigrationWait {
    if (this.#migrationWait?.kind !== kind) this.#migrationWait = { kind, sinceMs: nowMs }
    return this.#migrationWait
  }

  /** Records that QEMU listens anew for the rest of the guest's memory. */
  listensSince(nowMs: number): void {
    this.#migrationWait = { ...this.waitFor('postcopy-recovery', nowMs), listeningSinceMs: nowMs }
  }

  stopWaiting(): void {
    this.#migrationWait = undefined
  }

  inspect(): Promise<LauncherProcess> {
    return inspectLauncher(this.paths)
  }

  /** Decides the hardware for good, then lets the launcher become QEMU. */
  async launch(record: LaunchRecord): Promise<void> {
    await writeLaunchRecord(this.paths, record)
    this.#record = record
    await this.release()
  }

  /**
   * Lets the launcher go, as recorded. Done once by each process, since an earlier one may have
   * been killed just before it.
   */
  async release(): Promise<void> {
    const record = await this.record()
    if (record === undefined || this.#released) return
    await releaseLauncher(this.paths, record)
    this.#released = true
  }

  /** The run state, or undefined when QEMU cannot be asked. */
  async runState(): Promise<RunState | undefined> {
    await this.#connect()
    // It may go away while it is asked; then there is nobody to ask.
    return this.#ask(queryRunState).catch(() => undefined)
  }

  async resume(): Promise<void> {
    await this.#ask(resume)
  }

  async pressPowerButton(nowMs: number): Promise<void> {
    if (this.#connection === undefined) return
    await this.#ask(pressPowerButton)
    this.#presses = { firstMs: this.#presses?.firstMs ?? nowMs, lastMs: nowMs }
  }

  /**
   * Ends QEMU, or the launcher that has not become it: politely, and after `patienceMs` by force.
   */
  async end(nowMs: number, patienceMs: number): Promise<void> {
    const sinceMs = this.firstSeenMs('told-to-quit', nowMs)
    const launcher = await this.inspect()
    if (launcher.kind !== 'running') return
    const isLate = nowMs - sinceMs >= patienceMs
    if (this.#connection !== undefined && !isLate) return this.#ask(quit)
    // The process was recorded with its start time, so that no later process of the same number is
    // hit.
    if (isRunning(launcher.identity)) process.kill(launcher.identity.pid, isLate ? 'SIGKILL' : 'SIGTERM')
  }

  /** Removes what lies outside the pod's directory. */
  async cleanUp(): Promise<void> {
    this[Symbol.dispose]()
    await rm(this.paths.runDirectory, { recursive: true, force: true })
  }

  [Symbol.dispose](): void {
    this.#connection?.[Symbol.dispose]()
    this.#connection = undefined
  }

  /**
   * Talks to QEMU about more than its run state; undefined when it cannot be asked. Moving a guest
   * takes longer answers than others.
   */
  async query<T>(command: (connection: QmpConnection) => Promise<T>, timeoutMs: number): Promise<T | undefined> {
    await this.#connect()
    return this.#ask(command, timeoutMs)
  }

  /** Undefined without a connection. One whose QEMU does not answer in time is given up. */
  async #ask<T>(command: (connection: QmpConnection) => Promise<T>, timeoutMs: number = answerTimeoutMs): Promise<T | undefined> {
    const connection = this.#connection
    if (connection === undefined) return undefined
    using _timer = this.#clock.after(timeoutMs, () => connection[Symbol.dispose]())
    return await command(connection)
  }

  async #connect(): Promise<QmpConnection | undefined> {
    if (this.#connection !== undefined) return this.#connection
    const record = await this.record()
    if (record === undefined) return undefined
    let connection: QmpConnection
    try {
      connection = await connectQmp(record.monitor, { greetingTimeoutMs: answerTimeoutMs })
    } catch {
      return undefined
    }
    this.#connection = connection
    connection.onEvent(() => this.#onChange())
    void connection.closed.then(() => {
      if (this.#connection === connection) this.#connection = undefined
      this.#onChange()
    })
    return connection
  }
}
