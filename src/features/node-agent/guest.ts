import { rm } from 'node:fs/promises'
import {
  inspectLauncher,
  readLaunchRecord,
  releaseLauncher,
  writeLaunchRecord,
  type LauncherPaths,
  type LauncherProcess,
  type LaunchRecord,
} from '#features/launcher/index.ts'
import { connectQmp, isRunning, pressPowerButton, queryRunState, quit, resume, type QmpConnection, type RunState } from '#qemu/index.ts'

/** Milliseconds that QEMU may take to greet on its monitor. */
const greetingTimeoutMs = 2_000

/**
 * One guest as this process sees it: the files of its pod, and the connection to its QEMU while there is one. Everything that matters is
 * on disk or in QEMU, so that a new process can take over at any time.
 */
export class Guest implements Disposable {
  readonly podUid: string
  readonly paths: LauncherPaths
  /** When the power button was pressed last, by this process. */
  lastPressMs: number | undefined
  /** When the guest was first seen without an object that wants it. */
  orphanedSinceMs: number | undefined
  /** When this process first saw that the guest shall end. */
  stopSeenMs: number | undefined
  /** When QEMU was told to end. */
  quitSinceMs: number | undefined
  /** How often QEMU was asked for and did not answer. */
  waits = 0
  #record: LaunchRecord | undefined
  #connection: QmpConnection | undefined
  #released = false
  readonly #onChange: () => void

  /** `onChange` is called when QEMU tells of something, or goes away. */
  constructor(podUid: string, paths: LauncherPaths, onChange: () => void) {
    this.podUid = podUid
    this.paths = paths
    this.#onChange = onChange
  }

  /** What the guest was launched with, or undefined when it has not been. */
  async record(): Promise<LaunchRecord | undefined> {
    this.#record ??= await readLaunchRecord(this.paths)
    return this.#record
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

  /** Lets the launcher go, as recorded. Done once by each process, since an earlier one may have been killed just before it. */
  async release(): Promise<void> {
    const record = await this.record()
    if (record === undefined || this.#released) return
    await releaseLauncher(this.paths, record)
    this.#released = true
  }

  /** The run state, or undefined when QEMU cannot be asked. */
  async runState(): Promise<RunState | undefined> {
    const connection = await this.#connect()
    if (connection === undefined) return undefined
    // It may go away while it is asked; then there is nobody to ask.
    return queryRunState(connection).catch(() => undefined)
  }

  async resume(): Promise<void> {
    if (this.#connection !== undefined) await resume(this.#connection)
  }

  async pressPowerButton(nowMs: number): Promise<void> {
    if (this.#connection === undefined) return
    await pressPowerButton(this.#connection)
    this.lastPressMs = nowMs
  }

  /** Ends QEMU, or the launcher that has not become it: politely, and after `patienceMs` by force. */
  async end(nowMs: number, patienceMs: number): Promise<void> {
    this.quitSinceMs ??= nowMs
    const launcher = await this.inspect()
    if (launcher.kind !== 'running') return
    const isLate = nowMs - this.quitSinceMs >= patienceMs
    if (this.#connection !== undefined && !isLate) return quit(this.#connection)
    // The process was recorded with its start time, so that no later process of the same number is hit.
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

  async #connect(): Promise<QmpConnection | undefined> {
    if (this.#connection !== undefined) return this.#connection
    const record = await this.record()
    if (record === undefined) return undefined
    let connection: QmpConnection
    try {
      connection = await connectQmp(record.monitor, { greetingTimeoutMs })
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
