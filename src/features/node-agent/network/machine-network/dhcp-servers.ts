import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfThere } from '#runtime/process/replace-file.ts'

/** Ends a dnsmasq, which its container starts again at once, with all files and without leases. */
export async function restartServer(pidFile: string): Promise<void> {
  await signal(pidFile, 'SIGTERM', (command) => command.startsWith('dnsmasq\0'))
}

/** Has the pod network's process start the servers of networks that have none. */
export async function rescanNetworks(directory: string): Promise<void> {
  await signal(join(directory, 'servers.pid'), 'SIGUSR1', (command) => command.includes('pod-network.sh'))
}

/** A process that is about to start reads all files then. */
async function signal(pidFile: string, name: NodeJS.Signals, isExpected: (command: string) => boolean): Promise<void> {
  const pid = Number(await readIfThere(pidFile))
  try {
    if (pid > 1 && isExpected(await readFile(`/proc/${pid}/cmdline`, 'latin1'))) process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}
