import { readdirSync, readFileSync } from 'node:fs'

/** A process, as opposed to a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number
  /** Field 22 of /proc/<pid>/stat. */
  readonly startTicks: number
}

/** A process of a machine-mode cluster. */
export interface ClusterProcess extends ProcessIdentity {
  /** `supervisor`, `supervisor-helper`, `kubelet`, or the name of the container. */
  readonly role: string
  /** Logical node, if known. */
  readonly node: string
  /** Pod of a container as `namespace/name`. */
  readonly pod: string
  readonly command: string
}

/**
 * Finds every process of a home by environment variables that supervisors and kubelets set. The
 * environment survives exec, so QEMU is found, too, and no pid file has to be trusted.
 */
export function findProcesses(root: string): ClusterProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) return []
    const found = inspect(pid, root)
    return found === undefined ? [] : [found]
  })
}

/** Containers of pods that live as long as a guest: its QEMU, and those that attach its volumes. */
const guestRoles: readonly string[] = ['compute', 'hotplug-disk']

/** Reports whether a process belongs to a guest, and not to the control plane. */
export function isOfGuest({ role }: Pick<ClusterProcess, 'role'>): boolean {
  return guestRoles.includes(role)
}

/** Reports whether this process still runs. */
export function isAlive(found: ProcessIdentity): boolean {
  return startTicksOf(found.pid) === found.startTicks
}

/** Returns the milliseconds since a process started. */
export function ageMs({ startTicks }: ProcessIdentity): number {
  const uptimeSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0])
  return uptimeSeconds * 1000 - startTicks * MS_PER_TICK
}

/** /proc reports times in hundredths of a second. */
const MS_PER_TICK = 10

/** Sends a signal, unless the process has ended or its pid was reused. */
export function signalProcess(found: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(found)) return
  try {
    process.kill(found.pid, signal)
  } catch (error) {
    // The process may end between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Means of waiting for processes. */
interface Waiting {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** Milliseconds from TERM to KILL for a component, and from KILL to giving up. */
export const COMPONENT_GRACE_MS = 5_000

/** Ends processes: by TERM, and by KILL those that are still alive after the grace period. */
export async function endProcesses(chosen: readonly ClusterProcess[], waiting: Waiting): Promise<void> {
  for (const found of chosen) signalProcess(found, 'SIGTERM')
  await waitForEnd(chosen, COMPONENT_GRACE_MS, waiting)
  for (const found of chosen) signalProcess(found, 'SIGKILL')
  await waitForEnd(chosen, COMPONENT_GRACE_MS, waiting)
}

/** Waits until all processes have ended, at most until the time-out. */
export async function waitForEnd(chosen: readonly ProcessIdentity[], timeoutMs: number, { now, sleep }: Waiting): Promise<void> {
  const deadline = now() + timeoutMs
  while (chosen.some(isAlive) && now() < deadline) await sleep(20)
}

function inspect(pid: number, root: string): ClusterProcess | undefined {
  let environment: Map<string, string>
  let command: string
  try {
    environment = parseEnvironment(readFileSync(`/proc/${pid}/environ`, 'latin1'))
    command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()
  } catch {
    return undefined
  }
  const startTicks = startTicksOf(pid)
  if (startTicks === undefined) return undefined
  const podDirectory = environment.get('POD_DIR')
  if (podDirectory?.startsWith(`${root}/nodes/`) === true) {
    const container = (environment.get('STEADYVM_CONTAINER') ?? '').split('/')[1] ?? ''
    const pod = `${environment.get('POD_NAMESPACE') ?? ''}/${environment.get('POD_NAME') ?? ''}`
    return { pid, startTicks, role: container, node: environment.get('NODE_NAME') ?? '', pod, command }
  }
  const role = environment.get('STEADYVM_ROLE')
  if (environment.get('STEADYVM_HOME') !== root || role === undefined) return undefined
  return {
    pid,
    startTicks,
    role: roleOf(role, command),
    node: environment.get('NODE_NAME') ?? '',
    pod: '',
    command,
  }
}

/** Helpers of a supervisor (`flock`, `sleep`) inherit its environment. */
function roleOf(role: string, command: string): string {
  if (command.includes('supervise.sh')) return 'supervisor'
  return role === 'supervisor' ? 'supervisor-helper' : role
}

function parseEnvironment(text: string): Map<string, string> {
  return new Map(
    text.split('\0').flatMap((line) => {
      const equals = line.indexOf('=')
      return equals < 0 ? [] : [[line.slice(0, equals), line.slice(equals + 1)] as const]
    }),
  )
}

/** Returns when a process started; undefined when it has ended. */
export function startTicksOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : Number(fields[19])
  } catch {
    return undefined
  }
}
