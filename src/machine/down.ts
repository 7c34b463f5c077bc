import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MachineConfig } from './home/config.ts'
import type { DataDirectory } from './home/data-directory.ts'
import { removeControlGroups } from '#runtime/isolation/control-groups.ts'
import { podNetworkPlace, removePodNetwork } from './network/pod-network.ts'
import type { Release } from './release/release.ts'
import { lockHome } from './home/home-lock.ts'
import {
  COMPONENT_GRACE_MS,
  endProcesses,
  findProcesses,
  isAlive,
  signalProcess,
  waitForEnd,
  type ClusterProcess,
} from './supervisor/processes.ts'
import type { Progress } from './progress.ts'

/** Parameters of {@link stopCluster}. */
export interface DownOptions {
  readonly directory: DataDirectory
  readonly release: Release
  readonly config: MachineConfig
  /** Milliseconds for guests to power off. */
  readonly guestTimeoutMs: number
  /** Presses the power button of a guest that can be reached. */
  readonly powerOff: (guest: ClusterProcess) => Promise<void>
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly progress: Progress
}

/** Counts of what was stopped. */
export interface DownResult {
  readonly guests: number
  readonly killedGuests: number
  readonly processes: number
}

/** Container name of launcher pods, whose process is QEMU. */
const GUEST_ROLE = 'compute'

/**
 * Stops a cluster and keeps its data. Stops supervisors, kubelets and controllers first, since they
 * would restart processes; then the guests by their power button, while node agents still record
 * their exit; then node agents and API server. Leaves no process, socket or FIFO.
 */
export async function stopCluster(options: DownOptions): Promise<DownResult> {
  const { directory, config, release, now, sleep } = options
  using _lock = await lockHome(directory.root, { purpose: 'steadyvm down', timeoutMs: LOCK_TIMEOUT_MS, now, sleep })
  const all = findProcesses(directory.root)
  for (const node of config.nodes) await writeFile(directory.node(node).stop, '').catch(() => {})
  await end(options, (found) => found.role === 'supervisor' || found.role === 'kubelet')
  const controllers = new Set(['virt-operator', 'virt-controller', 'virt-api'])
  await end(options, (found) => controllers.has(found.role))
  const guests = findProcesses(directory.root).filter((found) => found.role === GUEST_ROLE)
  const killedGuests = await endGuests(options, guests)
  await end(options, (found) => found.role === 'virt-handler')
  await end(options, (found) => found.role === 'apiserver')
  await end(options, () => true)
  for (const node of config.nodes) await removeControlGroups(directory.node(node).controlGroup, sleep)
  if (config.podNetwork !== undefined) await removePodNetwork(release, podNetworkPlace(directory.root, config.podNetwork))
  await rm(directory.run, { recursive: true, force: true })
  await removeFifos(directory.nodes)
  return { guests: guests.length, killedGuests, processes: all.length }
}

/** Removes the FIFOs that wake launchers; no process reads them any more. */
async function removeFifos(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isFIFO()) await rm(join(entry.parentPath, entry.name), { force: true })
}

/** Milliseconds to wait for a `steadyvm up` that is starting processes. */
const LOCK_TIMEOUT_MS = 30_000
/** Milliseconds between two presses of a guest's power button. */
const PRESS_AGAIN_MS = 1_000

async function end(options: DownOptions, select: (found: ClusterProcess) => boolean): Promise<void> {
  await endProcesses(findProcesses(options.directory.root).filter(select), options)
}

async function endGuests(options: DownOptions, guests: readonly ClusterProcess[]): Promise<number> {
  if (guests.length === 0) return 0
  options.progress(`powering off ${guests.length} guest${guests.length === 1 ? '' : 's'}`)
  // Firmware ignores the power button, so it is pressed repeatedly.
  const deadline = options.now() + options.guestTimeoutMs
  while (guests.some(isAlive) && options.now() < deadline) {
    await Promise.all(guests.filter(isAlive).map((guest) => options.powerOff(guest)))
    await waitForEnd(guests, Math.min(PRESS_AGAIN_MS, deadline - options.now()), options)
  }
  const stubborn = guests.filter(isAlive)
  for (const guest of stubborn) signalProcess(guest, 'SIGKILL')
  await waitForEnd(stubborn, COMPONENT_GRACE_MS, options)
  return stubborn.length
}
