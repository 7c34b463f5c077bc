import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { trySignal } from './process-identity.ts'
import { commandMarker, findMarked } from './process-marker.ts'

/**
 * Kills probe and hook commands of an earlier kubelet of this node, and containers whose pod
 * directory is gone. Returns the pids. POD_DIR distinguishes processes of other nodes on the same
 * machine.
 */
export function killOrphanedProcesses(podsDirectory: string): readonly number[] {
  const lost = findMarked('').filter((found) => {
    const directory = found.environment['POD_DIR'] ?? ''
    if (!directory.startsWith(join(podsDirectory, '/'))) return false
    return found.variable === commandMarker || !existsSync(join(directory, 'pod.json'))
  })
  return lost.filter((found) => trySignal(found.pid, 'SIGKILL')).map((found) => found.pid)
}
