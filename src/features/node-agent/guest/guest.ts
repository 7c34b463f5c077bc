import { access, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { internalError } from '#apimachinery/errors.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import {
  forgetKeptHardware,
  inspectLauncher,
  readKeptHardware,
  readLaunchRecord,
  releaseLauncher,
  removeSockets,
  sealSockets,
  stopFile,
  writeKeptHardware,
  writeLaunchRecord,
  type LauncherPaths,
  type LauncherProcess,
  type LaunchRecord,
} from '#features/launcher/index.ts'
import {
  connectQmp,
  DiskErrorLog,
  dumpErrorIn,
  isRunning,
  pause,
  pressPowerButton,
  queryAgentPort,
  queryDiskErrors,
  type DiskError,
  queryRunState,
  quit,
  reset,
  resume,
  type LowWater,
  type OutgoingObserved,
  type QmpConnection,
  type RunState,
} from '#qemu/index.ts'
import { guestSockets } from '../domain/domain.ts'
import type { Host } from '../node/host.ts'
import type { SpaceTrial } from '../lifecycle/out-of-space.ts'
import { withdrawCertificates } from '../migration/handed-certificates.ts'
import type { FilePlace } from '../volumes/file-place.ts'

/**
 * Limits in milliseconds for QEMU's greeting and for an answer. A QEMU that exceeds it hangs, and
 * must not block other guests, or gets little of a busy node's processors: the limit doubles with
 * each time-out, so that a slow QEMU is reached, and is the first one again after an answer.
 */
const answerTimeoutsMs = { first: 2_000, longest: 16_000 } as const

/**
 * Milliseconds in which a guest has to power off to be rebooted. When it does later, its user wants
 * it off.
 */
const rebootPatienceMs = 300_000

/** The launcher's container has not started, so that its files cannot be prepared yet. */
export class LauncherNotReady extends Error {
  override readonly name = 'LauncherNotReady'
}

/** Progress of an outgoing migration, for metrics. */
export interface OutgoingMigration {
  readonly observed: OutgoingObserved
}

/**
 * A fact that starts a time limit when it is first seen. A restarted agent starts the limit anew.
 */
export type TimedFact = 'orphaned' | 'asked-to-stop' | 'launcher-gone' | 'told-to-quit' | 'idle-vcpus' | 'out-of-space'

/** The peer event that a migration waits for, and the start of the wait in this process. */
export interface MigrationWait {
  /**
   * `ownership`: the target has to record that it owns the guest. `target-after-source-exit`: the
   * source QEMU has ended, so only the target can run the guest. `postcopy-recovery`: the stream
   * was cut while part of the memory was still on the source.
   */
  readonly kind: 'ownership' | 'target-after-source-exit' | 'postcopy-recovery'
  readonly sinceMs: number
  /** Time at which QEMU last began to listen for the source. `postcopy-recovery` only. */
  readonly listeningSinceMs?: number
}

/**
 * One guest: the files of its pod and the connection to its QEMU. The launch record and QEMU hold
 * all durable state, so that a restarted agent can take over at any time.
 */
export class Guest implements Disposable {
  readonly podUid: string
  readonly paths: LauncherPaths
  /** Smallest remaining data of the outgoing migration, and when it was reached. */
  lowestRemaining: LowWater | undefined
  /** CPU features that the guest sees; cached after the first query. */
  cpuFeatures: readonly string[] | undefined
  /** Last observed state of the outgoing migration. */
  outgoing: OutgoingMigration | undefined
  /** Set when QEMU refused post-copy, which the kernel of this node does not allow. */
  withoutPostCopy = false
  /** False once it is known that QEMU holds no hotplugged volume. */
  mayHaveVolumes = true
  /** False once it is known that QEMU copies no disks for snapshots. */
  mayHaveCopies = true
  /** The dump that this process has begun, and why QEMU says that one has failed. */
  readonly memoryDump: { file: string | undefined; error: string | undefined } = { file: undefined, error: undefined }
  /** Number of plugged vCPUs that the guest was seen to run. */
  startedVcpus = 0
  /** Last attempt to resume the guest when it was out of space. */
  spaceTrial: SpaceTrial | undefined
  /** Failed attempts to reach QEMU's monitor. */
  waits = 0
  #presses: { readonly firstMs: number; readonly lastMs: number } | undefined
  readonly #firstSeenMs = new Map<TimedFact, number>()
  #migrationWait: MigrationWait | undefined
  #record: LaunchRecord | undefined
  #connection: QmpConnection | undefined
  readonly #diskErrors = new DiskErrorLog()
  #released = false
  #answerTimeoutMs: number = answerTimeoutsMs.first
  #mayHaveCertificates = true
  readonly #gone = new AbortController()
  #launcher: LauncherProcess | undefined
  #fingerprint: string | undefined
  readonly #clock: Clock
  readonly #onChange: () => void

  /** `onChange` is called when QEMU raises an event or closes the monitor. */
  constructor(podUid: string, paths: LauncherPaths, clock: Clock, onChange: () => void) {
    this.podUid = podUid
    this.#clock = clock
    this.paths = paths
    this.#onChange = onChange
  }

  /** Returns the launch record; undefined before the launch. */
  async record(): Promise<LaunchRecord | undefined> {
    this.#record ??= await readLaunchRecord(this.paths)
    return this.#record
  }

  /** Returns the hardware fingerprint recorded for this launch, if any. */
  async recordedFingerprint(): Promise<string | undefined> {
    this.#fingerprint ??= await readKeptHardware(this.paths)
    return this.#fingerprint
  }

  async saveFingerprint(fingerprint: string): Promise<void> {
    await writeKeptHardware(this.paths, fingerprint)
    this.#fingerprint = fingerprint
  }

  /** Removes the fingerprint, so that the hardware reconciler queries QEMU again. */
  async clearFingerprint(): Promise<void> {
    await forgetKeptHardware(this.paths)
    this.#fingerprint = undefined
  }

  /** First and last press of the power button by this process. */
  get presses(): { readonly firstMs: number; readonly lastMs: number } | undefined {
    return this.#presses
  }

  /** Returns when this process first saw the fact: `nowMs` on the first call. */
  firstSeenMs(fact: TimedFact, nowMs: number): number {
    const sinceMs = this.#firstSeenMs.get(fact) ?? nowMs
    this.#firstSeenMs.set(fact, sinceMs)
    return sinceMs
  }

  /** Forgets the fact, so that its time limit starts anew. */
  clear(fact: TimedFact): void {
    this.#firstSeenMs.delete(fact)
  }

  /** Returns the current wait. A wait of another kind is replaced by one that starts now. */
  waitFor(kind: MigrationWait['kind'], nowMs: number): MigrationWait {
    if (this.#migrationWait?.kind !== kind) this.#migrationWait = { kind, sinceMs: nowMs }
    return this.#migrationWait
  }

  /** Records when QEMU began to listen for the rest of the guest's memory. */
  listensSince(nowMs: number): void {
    this.#migrationWait = { ...this.waitFor('postcopy-recovery', nowMs), listeningSinceMs: nowMs }
  }

  /** Records that files may be handed over for a migration. */
  beginMigration(): void {
    this.#mayHaveCertificates = true
  }

  /** Withdraws what was handed over for a migration, also by an earlier process. */
  async endMigration(): Promise<void> {
    if (!this.#mayHaveCertificates) return
    await withdrawCertificates(this.paths)
    this.#mayHaveCertificates = false
  }

  stopWaiting(): void {
    this.#migrationWait = undefined
  }

  async inspect(): Promise<LauncherProcess> {
    this.#launcher = await inspectLauncher(this.paths, this.#launcher)
    return this.#launcher
  }

  /**
   * Returns the place of the guest's files. @throws LauncherNotReady before a launcher with mounts
   * of its own has started
   */
  async filePlace(host: Host): Promise<FilePlace> {
    const { view } = this.paths
    const place = { view, host, tpmSocket: guestSockets(view.run).tpm }
    if (!view.isContained) return { ...place, root: '' }
    const launcher = await this.inspect()
    if (launcher.kind !== 'running') throw new LauncherNotReady(`the launcher of pod ${this.podUid} does not run`)
    const { uid, gid } = await stat(this.paths.sharedDirectory)
    return { ...place, root: `/proc/${launcher.identity.pid}/root`, owner: { uid, gid } }
  }

  /** Writes the launch record, which fixes the hardware, and releases the launcher. */
  async launch(record: LaunchRecord): Promise<void> {
    await writeLaunchRecord(this.paths, record)
    this.#record = record
    await this.release()
  }

  /**
   * Releases the launcher, once per process: an earlier agent may have died between the record and
   * the release.
   */
  async release(): Promise<void> {
    const record = await this.record()
    if (record === undefined || this.#released) return
    await releaseLauncher(this.paths, record)
    this.#released = true
  }

  /** Has the guest reconciled: something about it has changed that QEMU does not report. */
  changed(): void {
    this.#onChange()
  }

  /** Returns QEMU's run state; undefined when QEMU does not answer. */
  async runState(): Promise<RunState | undefined> {
    await this.#connect()
    // QEMU may exit during the query.
    return this.#ask(queryRunState).catch(() => undefined)
  }

  /** Reports whether the guest agent runs; undefined when QEMU does not answer. */
  async isAgentConnected(): Promise<boolean | undefined> {
    return this.#ask(queryAgentPort).catch(() => undefined)
  }

  /** Lists the disks whose errors have stopped the guest; undefined when QEMU does not answer. */
  async diskErrors(): Promise<readonly DiskError[] | undefined> {
    const { errors } = this.#diskErrors
    return errors.length > 0 ? errors : this.#ask(queryDiskErrors).catch(() => undefined)
  }

  async resume(): Promise<void> {
    await this.#ask(resume)
  }

  async pause(): Promise<void> {
    await this.#ask(pause)
  }

  /** Resets the guest, as its reset button does. @throws StatusError 500 without an answer */
  async reset(): Promise<void> {
    await this.#connect()
    if (this.#connection === undefined) throw internalError('QEMU does not answer')
    await this.#ask(reset)
  }

  /**
   * Asks the guest to reboot, by its power button: it is started again when it has powered off. The
   * request is a file, which survives this process.
   */
  async softReboot(): Promise<void> {
    await this.#connect()
    if (this.#connection === undefined) throw internalError('QEMU does not answer')
    await writeFile(this.#rebootFile, String(this.#clock.now()), { mode: 0o600 })
    await this.#ask(pressPowerButton)
  }

  /** Reports whether the guest powered off because it was asked to reboot. */
  async isRebooting(): Promise<boolean> {
    const askedMs = Number(await readFile(this.#rebootFile, 'utf8').catch(() => '0'))
    return this.#clock.now() - askedMs < rebootPatienceMs
  }

  /** Reports whether the kubelet ends the launcher, as its preStop hook says. */
  async isToldToStop(): Promise<boolean> {
    return access(join(this.paths.sharedDirectory, stopFile)).then(
      () => true,
      () => false,
    )
  }

  /** Starts a guest again that has powered off. */
  async startAgain(): Promise<void> {
    await this.#ask(reset)
    await rm(this.#rebootFile, { force: true })
    await this.#ask(resume)
  }

  get #rebootFile(): string {
    return join(this.paths.recordDirectory, 'soft-reboot')
  }

  async pressPowerButton(nowMs: number): Promise<void> {
    if (this.#connection === undefined) return
    await this.#ask(pressPowerButton)
    this.#presses = { firstMs: this.#presses?.firstMs ?? nowMs, lastMs: nowMs }
  }

  /** Ends QEMU, or a launcher that has not become QEMU; uses SIGKILL after `patienceMs`. */
  async end(nowMs: number, patienceMs: number): Promise<void> {
    const sinceMs = this.firstSeenMs('told-to-quit', nowMs)
    const launcher = await this.inspect()
    if (launcher.kind !== 'running') return
    const isLate = nowMs - sinceMs >= patienceMs
    if (this.#connection !== undefined && !isLate) return this.#ask(quit)
    // The identity includes the start time, which protects a later process with the same PID.
    if (isRunning(launcher.identity)) process.kill(launcher.identity.pid, isLate ? 'SIGKILL' : 'SIGTERM')
  }

  /** Removes the files outside the pod's directory. */
  async cleanUp(): Promise<void> {
    this[Symbol.dispose]()
    const { recordDirectory, view } = this.paths
    if (view.isContained) await rm(recordDirectory, { recursive: true, force: true })
    await this.removeSockets()
  }

  /** Removes the sockets, also of a guest whose launch record has gone with its pod's directory. */
  async removeSockets(): Promise<void> {
    if (!this.paths.view.isContained) await removeSockets(this.paths)
  }

  /** Aborted once the guest has left this node: it has ended, or runs on another one. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  [Symbol.dispose](): void {
    this.#connection?.[Symbol.dispose]()
    this.#connection = undefined
    this.#gone.abort()
  }

  /** Runs QMP commands with a time limit. Undefined when QEMU is not connected. */
  async query<T>(command: (connection: QmpConnection) => Promise<T>, timeoutMs: number): Promise<T | undefined> {
    await this.#connect()
    return this.#ask(command, timeoutMs)
  }

  /** Closes the connection when QEMU exceeds the limit. Undefined without a connection. */
  async #ask<T>(command: (connection: QmpConnection) => Promise<T>, timeoutMs: number = this.#answerTimeoutMs): Promise<T | undefined> {
    const connection = this.#connection
    if (connection === undefined) return undefined
    using _timer = this.#clock.after(timeoutMs, () => {
      connection[Symbol.dispose]()
      this.#waitLonger()
    })
    const answer = await command(connection)
    this.#answerTimeoutMs = answerTimeoutsMs.first
    return answer
  }

  #waitLonger(): void {
    this.#answerTimeoutMs = Math.min(this.#answerTimeoutMs * 2, answerTimeoutsMs.longest)
  }

  async #connect(): Promise<QmpConnection | undefined> {
    if (this.#connection !== undefined) return this.#connection
    const record = await this.record()
    if (record === undefined) return undefined
    let connection: QmpConnection
    try {
      using _timer = this.#clock.after(this.#answerTimeoutMs, () => this.#waitLonger())
      connection = await connectQmp(record.monitor, { greetingTimeoutMs: this.#answerTimeoutMs })
      // It answers after it has made all sockets, and before the guest runs.
      await sealSockets(this.paths, record)
    } catch {
      return undefined
    }
    this.#connection = connection
    connection.onEvent((event) => {
      this.#diskErrors.note(event)
      this.memoryDump.error = dumpErrorIn(event) ?? this.memoryDump.error
      this.#onChange()
    })
    void connection.closed.then(() => {
      if (this.#connection === connection) this.#connection = undefined
      this.#diskErrors.clear()
      this.#onChange()
    })
    return connection
  }
}
