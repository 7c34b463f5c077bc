import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { connectQmp, readMigration, type MigrationReport, type QmpConnection } from '#qemu/index.ts'

/** Measurements of one migration, taken from the guest's QEMUs. */
export interface MoveReport {
  /** Milliseconds from the guest's last moment on the source to its first on the target. */
  readonly stillMs: number
  /** Report of the source at the end of the migration. */
  readonly report: MigrationReport | undefined
}

/** Watches the QEMUs of one guest for stops and starts of its CPUs. Disposal ends it. */
export interface RunWatch extends AsyncDisposable {
  /** Returns the measurements of the last migration. */
  last(): MoveReport
}

/** Watches a guest of a data directory: `namespace_name`, its name in QEMU. */
export function watchRuns(home: string, name: string): RunWatch {
  const { run } = dataDirectory(home)
  /**
   * Connections by folder of a pod's sockets, because listing processes this often would load a
   * CPU. Undefined for another guest's folder.
   */
  const connections = new Map<string, QmpConnection | undefined>()
  let stopped: { readonly folder: string; readonly ms: number } | undefined
  let report: MigrationReport | undefined
  let stillMs = Number.NaN
  let isOver = false
  const attach = async (folder: string): Promise<void> => {
    // QEMU is not there as soon as the folder is.
    const qmp = await connectQmp(join(run, folder, 'tools.qmp'), { greetingTimeoutMs: 500 }).catch(() => undefined)
    if (qmp === undefined) return
    const { name: found } = (await qmp.execute('query-name').catch(() => ({}))) as { readonly name?: string }
    if (found !== name) {
      qmp[Symbol.dispose]()
      connections.set(folder, undefined)
      return
    }
    connections.set(folder, qmp)
    qmp.onEvent(({ event, data, timestampMs }) => {
      if (event === 'STOP') stopped = { folder, ms: timestampMs }
      if (event === 'RESUME' && stopped !== undefined && stopped.folder !== folder) stillMs = timestampMs - stopped.ms
      if (event !== 'MIGRATION' || data['status'] !== 'completed') return
      // The target's account has no numbers.
      void readMigration(qmp).then(
        (own) => (report = own.progress === undefined ? report : own),
        () => {},
      )
    })
    void qmp.closed.then(() => connections.delete(folder))
  }
  const watching = (async () => {
    while (!isOver) {
      for (const folder of foldersIn(run)) if (!connections.has(folder)) await attach(folder)
      await sleep(25)
    }
  })()
  return {
    last: () => ({ stillMs, report }),
    async [Symbol.asyncDispose]() {
      isOver = true
      await watching
      for (const qmp of connections.values()) qmp?.[Symbol.dispose]()
    },
  }
}

function foldersIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}
