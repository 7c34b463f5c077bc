import { connectQmp, pressPowerButton } from '#qemu/index.ts'
import { readConfig } from '#machine/home/config.ts'
import { stopCluster } from '#machine/down.ts'
import { findGuests } from '#machine/guests/running-guests.ts'
import { thisRelease } from '#machine/release/release.ts'
import type { ClusterProcess } from '#machine/supervisor/processes.ts'
import { findProcesses } from '#machine/supervisor/processes.ts'
import type { CliContext } from '#cli/context.ts'
import { homeDirectory } from '#cli/cluster/home.ts'
import { formatDuration } from '#cli/render/terminal.ts'

/** Stops the cluster and keeps its data. */
export async function down(this: CliContext, flags: { dataDir?: string; timeout: number }): Promise<void> {
  const { stdout, stderr } = this.process
  const directory = homeDirectory(this, flags.dataDir)
  const config = await readConfig(directory)
  if (config === undefined || findProcesses(directory.root).length === 0) {
    stdout.write(`Nothing runs from "${directory.root}".\n`)
    return
  }
  const started = this.now()
  const result = await stopCluster({
    directory,
    config,
    release: thisRelease(),
    guestTimeoutMs: flags.timeout * 1000,
    powerOff: (guest) => powerOff(directory.root, guest),
    now: this.now,
    sleep: this.sleep,
    progress: (message) => stderr.write(`${message}\n`),
  })
  const killed = result.killedGuests === 0 ? '' : ` (${result.killedGuests} of them had to be switched off)`
  stdout.write(
    `Ended ${result.processes} processes, ${result.guests} of them guests${killed}, in ${formatDuration(this.now() - started)}. The data stays in "${directory.root}".\n`,
  )
}

async function powerOff(root: string, process: ClusterProcess): Promise<void> {
  const socket = findGuests(root).find((guest) => guest.process.pid === process.pid)?.monitorSocket
  if (socket === undefined) return
  try {
    using qmp = await connectQmp(socket)
    await pressPowerButton(qmp)
  } catch {
    // The guest has just ended, or its QEMU hangs: the time-out handles both.
  }
}
