import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJsonFile, writeFileAtomically } from '../process/atomic-file.ts'
import type { ProcessIdentity } from '../process/process-identity.ts'

/** Exit of a container's process. */
export interface ContainerExit {
  readonly exitCode: number
  readonly signal?: number
  /**
   * `Completed`, `Error`, `OOMKilled`, `StartError`, or `ContainerStatusUnknown` when it ended
   * while no kubelet ran.
   */
  readonly reason: string
  readonly message?: string
  /** Milliseconds since the epoch. */
  readonly finishedAt: number
}

interface RecordBase {
  readonly container: string
  /** 0 for the first run. */
  readonly restart: number
  /** Counts tries of the same run that never came to execute anything. */
  readonly attempt: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly image: string
}

/**
 * One run of a container, as it lies on disk. Written before the process is forked, after it is
 * known, and after it ended.
 *
 *     starting -> running -> exited
 */
export type ContainerRecord =
  | (RecordBase & { readonly state: 'starting' })
  | (RecordBase & { readonly state: 'running'; readonly process: ProcessIdentity })
  | (RecordBase & { readonly state: 'exited'; readonly exit: ContainerExit })

/** Writes the record of its run. */
export function writeContainerRecord(directory: string, record: ContainerRecord): void {
  writeFileAtomically(join(directory, `${record.restart}.json`), JSON.stringify(record))
}

/** The records of a container's newest runs, newest first, at most two. */
export function readContainerRecords(directory: string): readonly ContainerRecord[] {
  return runsIn(directory)
    .toSorted((a, b) => b - a)
    .slice(0, 2)
    .flatMap((run) => (readJsonFile(join(directory, `${run}.json`)) as ContainerRecord | undefined) ?? [])
}

function runsIn(directory: string): readonly number[] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch {
    return []
  }
  return names.filter((name) => /^\d+\.json$/.test(name)).map((name) => Number.parseInt(name, 10))
}

/**
 * File that a new process must create, holding its own pid, before it may become the container's
 * program.
 */
export function claimPathOf(directory: string, record: Pick<ContainerRecord, 'restart' | 'attempt'>): string {
  return join(directory, `${record.restart}-${record.attempt}.claim`)
}

/** Log file of a run. */
export function logPathOf(directory: string, restart: number): string {
  return join(directory, `${restart}.log`)
}

/**
 * Takes the claim of a run that was about to start. `revoked`: no process had it, and none can get
 * it any more. The pid is undefined when the process has not written it yet.
 */
export function revokeClaim(path: string): { readonly kind: 'revoked' } | { readonly kind: 'claimed'; readonly pid: number | undefined } {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return { kind: 'revoked' }
  } catch {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
    return { kind: 'claimed', pid: Number.isNaN(pid) ? undefined : pid }
  }
}

/** Termination message file of a container. */
export function terminationPathOf(directory: string): string {
  return join(directory, 'termination-log')
}
