import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProcessIdentity } from '#qemu/index.ts'
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
  proc = '/proc',
): Promise<ProcessIdentity | undefined> {
  const names = (await readdir(proc)).filter((name) => /^\d+$/.test(name))
  for (const name of names) {
    const directory = join(proc, name)
    if ((await readlink(join(directory, 'ns/pid')).catch(() => undefined)) !== wanted.namespace) continue
    const text = await Promise.all(['status', 'stat'].map((file) => readFile(join(directory, file), 'utf8'))).catch(() => undefined)
    if (text === undefined || !isWanted(text[0] ?? '', text[1] ?? '', wanted)) continue
    if (await hasDirectory(directory, paths.sharedDirectory)) return { pid: Number(name), startTicks: wanted.startTicks }
  }
  return undefined
}

function isWanted(status: string, text: string, { pid, startTicks }: ContainedProcess): boolean {
  // One PID for each nested namespace, the innermost last.
  const pids = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/) ?? []
  const isAlive = !/^State:\s+[ZX]/m.test(status)
  // The name of the program may contain spaces and parentheses. Field 22 is the start time.
  const startTime = text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
  return isAlive && Number(pids.at(-1)) === pid && Number(startTime) === startTicks
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
