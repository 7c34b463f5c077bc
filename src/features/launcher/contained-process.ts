import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { identify, type ProcessIdentity } from '#qemu/index.ts'
import { mountPoints, type LauncherPaths } from './launcher-paths.ts'

/** A process as it sees itself in its container. */
export interface ContainedProcess extends ProcessIdentity {
  /** PID namespace: `pid:[4026532281]`. */
  readonly namespace: string
}

/**
 * Finds the process of a container by its PID namespace, PID and start time there. A process that
 * does not have the pod's shared directory at its mount point is not taken: the identity was
 * written in the container, which must not be able to name a process of others. Undefined when
 * there is none.
 */
export async function findContainedProcess(
  wanted: ContainedProcess,
  paths: Pick<LauncherPaths, 'sharedDirectory'>,
): Promise<ProcessIdentity | undefined> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const directory = join('/proc', pid)
    if ((await readlink(join(directory, 'ns/pid')).catch(() => undefined)) !== wanted.namespace) continue
    if ((await innermostPid(directory)) !== wanted.pid) continue
    const found = identify(Number(pid))
    if (found?.startTicks === wanted.startTicks && (await hasDirectory(directory, paths.sharedDirectory))) return found
  }
  return undefined
}

/** Returns the PID of a process in its own namespace; undefined when it has ended. */
async function innermostPid(directory: string): Promise<number | undefined> {
  const status = await readFile(join(directory, 'status'), 'utf8').catch(() => '')
  // One PID for each nested namespace.
  const last = /^NSpid:.*\s(\d+)$/m.exec(status)?.[1]
  return last === undefined ? undefined : Number(last)
}

/** Reports whether a process sees the directory at its mount point. */
async function hasDirectory(processDirectory: string, directory: string): Promise<boolean> {
  try {
    const [seen, own] = await Promise.all([stat(join(processDirectory, 'root', mountPoints.handover)), stat(directory)])
    return seen.dev === own.dev && seen.ino === own.ino
  } catch {
    return false
  }
}
