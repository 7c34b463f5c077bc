import { existsSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataDirectory, NodeDirectory } from '../home/data-directory.ts'
import { ageMs, endProcesses, findProcesses, type ClusterProcess } from '../supervisor/processes.ts'
import { fileState, programFile } from '../release/program-bundle.ts'
import type { Release } from '../release/release.ts'

/** Longest time for a kubelet to stop the API server of a replaced manifest. */
const RESTART_MS = 60_000

/**
 * Finds an API server that started before its manifest was replaced, also by an `up` that was
 * killed. A manifest that the kubelet has had for long has been acted on, whatever the clock says.
 */
export async function findOutdatedApiServer(
  node: NodeDirectory,
  processes: readonly ClusterProcess[],
  nowMs: number,
): Promise<ClusterProcess | undefined> {
  const { mtimeMs } = await stat(join(node.manifests, 'apiserver.json'))
  const apiserver = processes.find(({ role }) => role === 'apiserver')
  if (apiserver === undefined || nowMs - ageMs(apiserver) >= mtimeMs) return undefined
  const kubelet = processes.find((found) => found.role === 'kubelet' && found.node === apiserver.node)
  const knownMs = kubelet === undefined ? 0 : Math.min(nowMs - mtimeMs, ageMs(kubelet))
  return knownMs > RESTART_MS ? undefined : apiserver
}

/** Parameters of {@link endOutdatedKubelets}. */
export interface OutdatedOptions {
  readonly directory: DataDirectory
  readonly release: Release
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** Rounds: a kubelet that is about to end may have started another supervisor. */
const MAX_ROUNDS = 3

/**
 * Ends the supervisors and kubelets that run the code of another checkout, or code that has been
 * replaced since they started, and those that an interrupted `up` or `down` has told to stop.
 * Containers and guests keep running; the next kubelet adopts them.
 *
 * @param before the processes of the home
 * @returns `before` when nothing had to be ended, otherwise the processes that are left
 */
export async function endOutdatedKubelets(before: readonly ClusterProcess[], options: OutdatedOptions): Promise<readonly ClusterProcess[]> {
  let processes = before
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const outdated = outdatedKubelets(processes, options)
    if (outdated.length === 0) break
    // Without it, the supervisor would restart its kubelet.
    for (const node of new Set(outdated.map((found) => found.node))) await writeFile(options.directory.node(node).stop, '')
    await endProcesses(outdated, options)
    processes = findProcesses(options.directory.root)
  }
  return processes
}

function outdatedKubelets(processes: readonly ClusterProcess[], { directory, release, now }: OutdatedOptions): ClusterProcess[] {
  const candidates = processes.filter(({ role }) => role === 'supervisor' || role === 'kubelet')
  // To find the program, all of its sources are looked at.
  if (candidates.length === 0) return []
  const program = programFile(release.root, 'kubelet')
  const replacedMs = fileState(program)?.[1] ?? 0
  return candidates.filter((found) => {
    if (existsSync(directory.node(found.node).stop)) return true
    // The command is empty while a process executes its program or exits.
    const isOther = found.command !== '' && !found.command.split(' ').includes(program)
    return isOther || (found.role === 'kubelet' && now() - ageMs(found) < replacedMs)
  })
}
