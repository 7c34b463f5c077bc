import { execFile } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import type { Clock } from '#runtime/clock/clock.ts'

/** Something to see at a path. */
interface Mount {
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

/**
 * Gives the process the host name that is the first argument, unless it is empty. Covers the second
 * one, unless it is empty, with an empty directory; its content is then still
 * reachable as the working directory. Mounts triples of source, target and `ro` or `rw` up to `--`,
 * then executes the rest. Missing targets are created, empty, on the machine itself, as all
 * containers share its files; only this process and its children see the mounts.
 */
const mountScript = `# steadyvm mounts
if [ -n "$1" ]; then { echo "$1" >/proc/sys/kernel/hostname; } 2>/dev/null || :; fi
shift
if [ -n "$1" ]; then
  cd "$1"
  mount -t tmpfs -o mode=0711 steadyvm "$1"
fi
shift
while [ "$1" != -- ]; do
  if [ -d "$2" ]; then :; elif [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "\${2%/*}/"; [ -e "$2" ] || : >"$2"; fi
  mount -c --bind "$1" "$2"
  if [ "$3" = ro ]; then mount -o remount,bind,ro "$2"; fi
  shift 3
done
shift
cd "$0"
exec "$@"`

let possible: Promise<boolean> | undefined

/** Reports whether this process may create mount namespaces, which takes privileges. Tried once. */
export function canMount(): Promise<boolean> {
  possible ??= new Promise((resolve) => execFile('/bin/sh', ['-c', 'unshare -m -u true'], (error) => resolve(error === null)))
  return possible
}

/** What a process sees of its own. */
interface OwnView {
  readonly mounts: readonly Mount[]
  /** Empty: that of the machine. */
  readonly hostName?: string
  /** Directory that it does not see. Empty: none. */
  readonly covered?: string
}

/**
 * A command that sees the mounts, in a working directory that may be one of them, and otherwise is
 * the one given: the same process, nothing stays between.
 */
export function commandWithMounts(
  command: readonly string[],
  { mounts, hostName = '', covered = '' }: OwnView,
  workingDirectory: string,
): readonly string[] {
  const triples = mounts.flatMap(({ source, target, readOnly }) => [source, target, readOnly ? 'ro' : 'rw'])
  return ['unshare', '-m', '-u', '/bin/sh', '-euc', mountScript, workingDirectory, hostName, covered, ...triples, '--', ...command]
}

const lookMs = 2
const patienceMs = 10_000

/**
 * Resolves when a process that was started with mounts has become its program: until then, what
 * runs beside it would not see them.
 */
export async function untilMounted(clock: Clock, pid: number): Promise<void> {
  for (const end = clock.now() + patienceMs; isMounting(pid) && clock.now() < end;) await clock.sleep(lookMs)
}

function isMounting(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mountScript)
  } catch {
    return false
  }
}

/**
 * A command that sees what a container sees, in a working directory: the command itself unless its
 * process was started with mounts. A program that has made mounts by itself, as the launcher of a
 * guest does before it becomes QEMU, is not followed: hooks and probes need the pod's folders.
 */
export function commandBeside(pid: number, workingDirectory: string, command: readonly string[]): readonly string[] {
  if (!wasGivenMounts(pid)) return command
  return ['nsenter', '-m', '-u', '-t', String(pid), '/bin/sh', '-c', 'cd "$0" && exec "$@"', workingDirectory, ...command]
}

/** Mounts are given together with a host name. */
function wasGivenMounts(pid: number): boolean {
  try {
    return ['mnt', 'uts'].every((kind) => readlinkSync(`/proc/${pid}/ns/${kind}`) !== readlinkSync(`/proc/self/ns/${kind}`))
  } catch {
    return false
  }
}
