import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the processes of a control group may use. */
export interface GroupLimits {
  /** Undefined: no limit. */
  readonly memoryBytes?: number | undefined
  /** Thousandths of a CPU. Undefined: no limit. */
  readonly cpuMillis?: number | undefined
  /** Share of the CPUs while others want them, in shares of cgroup v1: 1,024 is one CPU. */
  readonly cpuShares: number
  readonly processes: number
}

/** The controllers that limits need. */
const controllers = ['memory', 'cpu', 'pids'] as const
type Controller = (typeof controllers)[number]

/** Where the kernel shows control groups: v2 has one tree, v1 one for each controller. */
export type GroupTrees =
  | { readonly version: 2; readonly root: string }
  | { readonly version: 1; readonly roots: Readonly<Record<Controller, string>> }

/** This machine lacks the controllers, or they cannot be used here. */
export class ControlGroupsUnavailable extends Error {
  override readonly name = 'ControlGroupsUnavailable'
}

/** Finds the trees in the text of `/proc/mounts`. Pure. @throws ControlGroupsUnavailable */
export function findGroupTrees(mounts: string): GroupTrees {
  const found = mounts.split('\n').map((line) => line.split(' '))
  const roots = controllers.flatMap((controller) => {
    const mount = found.find(([, , type, options = '']) => type === 'cgroup' && options.split(',').includes(controller))
    return mount?.[1] === undefined ? [] : [[controller, mount[1]] as const]
  })
  // On a machine with both, controllers are in the trees of v1.
  if (roots.length === controllers.length) return { version: 1, roots: Object.fromEntries(roots) as Record<Controller, string> }
  const unified = found.find(([, , type]) => type === 'cgroup2')?.[1]
  if (unified !== undefined && roots.length === 0) return { version: 2, root: unified }
  throw new ControlGroupsUnavailable('the machine has no control groups with the controllers memory, cpu and pids')
}

/** A file of a control group, and what is written to it. */
export interface GroupSetting {
  readonly controller: Controller
  readonly file: string
  readonly value: string
}

const periodMicroseconds = 100_000

/** Returns the settings of a group. Pure. */
export function groupSettings(version: GroupTrees['version'], limits: GroupLimits): GroupSetting[] {
  const { memoryBytes, cpuMillis, cpuShares, processes } = limits
  const quota = cpuMillis === undefined ? undefined : Math.max(1_000, (cpuMillis * periodMicroseconds) / 1_000)
  if (version === 1) {
    return [
      { controller: 'memory', file: 'memory.limit_in_bytes', value: String(memoryBytes ?? -1) },
      { controller: 'cpu', file: 'cpu.shares', value: String(cpuShares) },
      { controller: 'cpu', file: 'cpu.cfs_quota_us', value: String(quota ?? -1) },
      { controller: 'pids', file: 'pids.max', value: String(processes) },
    ]
  }
  return [
    { controller: 'memory', file: 'memory.max', value: String(memoryBytes ?? 'max') },
    { controller: 'cpu', file: 'cpu.weight', value: String(weightOf(cpuShares)) },
    { controller: 'cpu', file: 'cpu.max', value: `${quota ?? 'max'} ${periodMicroseconds}` },
    { controller: 'pids', file: 'pids.max', value: String(processes) },
  ]
}

/** Maps shares of v1, 2 to 262,144, to weights of v2, 1 to 10,000, as Kubernetes does. */
function weightOf(shares: number): number {
  return 1 + Math.floor(((shares - 2) * 9_999) / 262_142)
}

/** Control groups below one of this program. Groups outlive it. */
export interface ControlGroups {
  /**
   * Creates a group, or takes the one of that name. Returns the files by which a process joins it:
   * it writes its PID to each.
   */
  create(name: string, limits: GroupLimits): readonly string[]
  /** Changes limits of a group. False when one is below what is in use, and stays. */
  resize(name: string, limits: GroupLimits): boolean
  /** Reports whether the kernel has killed a process of the group for its memory limit. */
  ranOutOfMemory(name: string): boolean
  /** Kills what is left in a group, and removes it. False while a process has not ended. */
  remove(name: string): boolean
  names(): readonly string[]
  /** Removes the group of this program; its groups have been removed. */
  close(): boolean
}

/** Opens the group of a program, and creates it. @throws ControlGroupsUnavailable */
export function openControlGroups(folder: string, mounts: string = readFileSync('/proc/mounts', 'utf8')): ControlGroups {
  const trees = findGroupTrees(mounts)
  const at = (controller: Controller): string => join(trees.version === 1 ? trees.roots[controller] : trees.root, folder)
  const folders = [...new Set(controllers.map(at))]
  try {
    if (trees.version === 2) delegate(trees.root)
    for (const path of folders) mkdirSync(path, { recursive: true })
    if (trees.version === 2) delegate(at('memory'))
  } catch (cause) {
    throw new ControlGroupsUnavailable(`control groups cannot be created: ${(cause as Error).message}`, { cause })
  }
  const apply = (name: string, limits: GroupLimits): void => {
    for (const { controller, file, value } of groupSettings(trees.version, limits)) writeFileSync(join(at(controller), name, file), value)
  }
  return {
    create(name, limits) {
      for (const path of folders) mkdirSync(join(path, name), { recursive: true })
      apply(name, limits)
      return folders.map((path) => join(path, name, 'cgroup.procs'))
    },
    resize(name, limits) {
      const use = readIfPresent(join(at('memory'), name, trees.version === 1 ? 'memory.usage_in_bytes' : 'memory.current'))
      // v2 would kill the group.
      if (limits.memoryBytes !== undefined && limits.memoryBytes < Number(use)) return false
      try {
        apply(name, limits)
        return true
      } catch (error) {
        if (['EBUSY', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
        throw error
      }
    },
    ranOutOfMemory(name) {
      const file = join(at('memory'), name, trees.version === 1 ? 'memory.oom_control' : 'memory.events')
      return Number(/^oom_kill (\d+)$/m.exec(readIfPresent(file))?.[1] ?? 0) > 0
    },
    remove(name) {
      for (const path of folders) for (const pid of readIfPresent(join(path, name, 'cgroup.procs')).split('\n')) kill(Number(pid))
      return folders.map((path) => removeGroup(join(path, name))).every(Boolean)
    },
    names: () => [...new Set(folders.flatMap(groupsIn))],
    close: () => folders.map(removeGroup).every(Boolean),
  }
}

/** Reports why this process can limit no others; undefined when it can. */
export function controlGroupObstacle(): string | undefined {
  try {
    openControlGroups(`steadyvm-check-${process.pid}`).close()
    return undefined
  } catch (error) {
    if (!(error instanceof ControlGroupsUnavailable)) throw error
    return error.message
  }
}

/**
 * Ends what is left in the groups of a program that does not run any more, and removes them, also
 * its own. Does nothing where there are none.
 */
export async function removeControlGroups(folder: string, sleep: (ms: number) => Promise<void>): Promise<void> {
  const attempts = 200
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      const groups = openControlGroups(folder)
      const isEmpty = groups
        .names()
        .map((name) => groups.remove(name))
        .every(Boolean)
      if (isEmpty && groups.close()) return
    } catch (error) {
      if (error instanceof ControlGroupsUnavailable) return
      throw error
    }
    await sleep(10)
  }
}

/** Gives the controllers to the groups below one. */
function delegate(group: string): void {
  writeFileSync(join(group, 'cgroup.subtree_control'), controllers.map((controller) => `+${controller}`).join(' '))
}

function groupsIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return []
  }
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  if (!(pid > 0)) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function removeGroup(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}
