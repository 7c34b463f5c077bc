import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A cgroup of the same name in every hierarchy of the machine: version 1, hybrid or version 2. */
export class Cgroup {
  /** Path below each hierarchy, without a leading slash. */
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Creates the cgroup and its parents. */
  create(): void {
    for (const root of hierarchies()) {
      let folder = root
      for (const name of this.path.split('/')) {
        enableControllers(folder)
        folder = join(folder, name)
        mkdirSync(folder, { recursive: true })
        // A new cpuset of version 1 is empty, and takes no process.
        for (const file of ['cpuset.cpus', 'cpuset.mems'].map((each) => [join(root, each), join(folder, each)] as const))
          if (root.endsWith('/cpuset') && readFileSync(file[1], 'utf8').trim() === '') writeFileSync(file[1], readFileSync(file[0]))
      }
    }
  }

  /** Files to which a process writes its pid in order to join. */
  get memberFiles(): readonly string[] {
    return hierarchies().map((root) => join(root, this.path, 'cgroup.procs'))
  }

  /** Returns the processes of this cgroup alone. */
  get members(): readonly number[] {
    return readPids(this.memberFiles[0] ?? '')
  }

  /** Returns the processes of this cgroup and of those below it. */
  get allMembers(): readonly number[] {
    const [root = ''] = hierarchies()
    // 0 stands for a process of a pid namespace that is not visible here.
    return deepestFirst(join(root, this.path))
      .flatMap((folder) => readPids(join(folder, 'cgroup.procs')))
      .filter((pid) => pid > 0)
  }

  /** Kills all processes of this cgroup and of those below it, and removes the cgroups. */
  async remove(): Promise<void> {
    const deadline = Date.now() + 20_000
    for (;;) {
      const folders = hierarchies().flatMap((root) => deepestFirst(join(root, this.path)))
      if (folders.length === 0) return
      const pids = new Set(folders.flatMap((folder) => readPids(join(folder, 'cgroup.procs'))))
      if (Date.now() > deadline) throw new Error(`cgroup ${this.path} still has the processes ${[...pids].join(', ')}`)
      // 0 stands for a process of a pid namespace that is not visible here.
      for (const pid of pids) if (pid > 0) kill(pid)
      if (pids.size === 0) for (const folder of folders) removeFolder(folder)
      if (pids.size > 0 || folders.some((folder) => existsSync(folder))) await sleep(50)
    }
  }
}

/** Returns the folders where this machine has mounted its cgroup hierarchies. */
function hierarchies(): readonly string[] {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const found = mounts.map((line) => line.split(' ')).filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
  return found.map(([, folder = '']) => folder)
}

/** Version 2: lets children use the controllers. In a hybrid layout, version 1 has them. */
function enableControllers(folder: string): void {
  const file = join(folder, 'cgroup.controllers')
  if (!existsSync(file)) return
  const controllers = readFileSync(file, 'utf8').split(/\s+/)
  if (!controllers.includes('memory')) return
  for (const name of controllers) if (name !== '') writeFileSync(join(folder, 'cgroup.subtree_control'), `+${name}`)
}

function readPids(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number)
  } catch (error) {
    // The cgroup may be removed at any time: ENODEV when the file was open already.
    if (['ENOENT', 'ENODEV'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

function deepestFirst(folder: string): string[] {
  try {
    const below = readdirSync(folder, { recursive: true, withFileTypes: true })
    return [folder, ...below.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))].toReversed()
  } catch (error) {
    // A cgroup may be removed at any time.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return existsSync(folder) ? deepestFirst(folder) : []
    throw error
  }
}

function removeFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOENT', 'EBUSY', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
