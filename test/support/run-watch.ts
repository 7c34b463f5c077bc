import { setTimeout as sleep } from 'node:timers/promises'
import { findGuests } from '#machine/guests.ts'
import { connectQmp, readMigration, type MigrationReport, type QmpConnection } from '#qemu/index.ts'

/** What one migration was like, by the guest's QEMUs themselves. */
export interface MoveReport {
  /** Milliseconds from the guest's last moment on the source to its first on the target. */
  readonly stillMs: number
  /** The source's own account, from its end. */
  readonly report: MigrationReport | undefined
}

/** Watches the QEMUs of one guest: when its CPUs stop and start. Dispose it. */
export interface RunWatch extends AsyncDisposable {
  /** What was seen of the last move. */
  last(): MoveReport
}

/** Watches a guest of a data directory from now on. */
export function watchRuns(home: string, name: string): RunWatch {
  const connections = new Map<number, QmpConnection>()
  let stopped: { readonly pid: number; readonly ms: number } | undefined
  let report: MigrationReport | undefined
  let stillMs = Number.NaN
  let isOver = false
  const attach = async (pid: number, socket: string): Promise<void> => {
    const qmp = await connectQmp(socket, { greetingTimeoutMs: 500 }).catch(() => undefined)
    if (qmp === undefined) return
    connections.set(pid, qmp)
    qmp.onEvent(({ event, data, timestampMs }) => {
      if (event === 'STOP') stopped = { pid, ms: timestampMs }
      if (event === 'RESUME' && stopped !== undefined && stopped.pid !== pid) stillMs = timestampMs - stopped.ms
      if (event !== 'MIGRATION' || data['status'] !== 'completed') return
      // The target's account has no numbers.
      void readMigration(qmp).then(
        (own) => (report = own.progress === undefined ? report : own),
        () => {},
      )
    })
    void qmp.closed.then(() => connections.delete(pid))
  }
  const watching = (async () => {
    while (!isOver) {
      for (const guest of findGuests(home)) {
        const { pid } = guest.process
        if (guest.name === name && guest.monitorSocket !== undefined && !connections.has(pid)) await attach(pid, guest.monitorSocket)
      }
      await sleep(25)
    }
  })()
  return {
    last: () => ({ stillMs, report }),
    async [Symbol.asyncDispose]() {
      isOver = true
      await watching
      for (const qmp of connections.values()) qmp[Symbol.dispose]()
    },
  }
}
