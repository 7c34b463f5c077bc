import { readFileSync } from 'node:fs'
import { findProcesses, type ClusterProcess } from '../supervisor/processes.ts'

/** A running guest, described by the command line of its QEMU. */
export interface RunningGuest {
  readonly process: ClusterProcess
  readonly namespace: string
  readonly name: string
  /** Unix socket of the serial console, and its log file. */
  readonly serialSocket: string | undefined
  readonly serialLog: string | undefined
  /** QMP socket for tools; the node agent uses another one. */
  readonly monitorSocket: string | undefined
}

/** Lists the running guests of a home. */
export function findGuests(root: string): RunningGuest[] {
  return findProcesses(root).flatMap((process) => guestOf(process) ?? [])
}

/** Returns the guest that a process runs; undefined when the process is not QEMU. */
export function guestOf(process: ClusterProcess, args: readonly string[] = readArguments(process.pid)): RunningGuest | undefined {
  const guest = valueOf(args, (word) => word.startsWith('guest='))?.slice('guest='.length)
  if (guest === undefined) return undefined
  const separator = guest.indexOf('_')
  const serial = valueOf(args, (word) => word.startsWith('socket,id=serial0,'))
  const monitor = valueOf(args, (word) => word.startsWith('socket,id=monitor1,'))
  return {
    process,
    namespace: guest.slice(0, separator),
    name: guest.slice(separator + 1),
    serialSocket: part(serial, 'path'),
    serialLog: part(serial, 'logfile'),
    monitorSocket: part(monitor, 'path'),
  }
}

function readArguments(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

function valueOf(args: readonly string[], test: (word: string) => boolean): string | undefined {
  return args.find(test)
}

function part(text: string | undefined, name: string): string | undefined {
  return text
    ?.split(',')
    .find((piece) => piece.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}
