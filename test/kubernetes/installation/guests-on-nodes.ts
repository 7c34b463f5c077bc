import { setTimeout as sleep } from 'node:timers/promises'
import { findRunningGuest } from '#cli/cluster/running-guest.ts'
import { guestOf, type RunningGuest } from '#machine/guests/running-guests.ts'
import { runWhenReachable } from '#machine/guests/run-command.ts'
import { ConsoleUnreachable } from '#machine/guests/serial-console.ts'
import { startTicksOf, type ClusterProcess } from '#machine/supervisor/processes.ts'
import { runStateAt } from '../../support/observers/run-state.ts'
import type { Host, HostProcess } from '../host/host.ts'

const programs = ['virt-operator', 'virt-api', 'virt-controller', 'virt-handler', 'virt-importer']
const consoleLimitMs = 300_000

/** Lists the processes of components and guests on nodes, as machine mode does. */
export function steadyvmProcesses(hosts: readonly Host[]): ClusterProcess[] {
  return [
    ...guestsOn(hosts).map(({ process }) => process),
    ...processesOn(hosts).flatMap(({ node, pid, args }) => {
      const program = programs.find((one) => args.some((word) => word.includes(`/${one}.`)))
      // The container of a worker has CDI's name.
      return program === undefined ? [] : identify({ node, pid, args }, program === 'virt-importer' ? 'importer' : program, '')
    }),
  ]
}

/** Lists the QEMUs of all nodes, with paths of sockets and files that lead into their pods. */
export function guestsOn(hosts: readonly Host[]): RunningGuest[] {
  return processesOn(hosts).flatMap((found) => {
    const { pid, args } = found
    const argument = args.find((word) => word.startsWith('guest='))?.slice('guest='.length) ?? ''
    const [namespace = '', name = ''] = argument.split('_')
    if (name === '') return []
    const through = (path: string | undefined): string | undefined => path && `/proc/${pid}/root${path}`
    return identify(found, 'compute', `${namespace}/virt-launcher-${name}-`).flatMap((process) => {
      const guest = guestOf(process, args)
      if (guest === undefined) return []
      const { serialSocket, serialLog, monitorSocket } = guest
      return [{ ...guest, serialSocket: through(serialSocket), serialLog: through(serialLog), monitorSocket: through(monitorSocket) }]
    })
  })
}

interface NodeProcess extends HostProcess {
  readonly node: string
}

function processesOn(hosts: readonly Host[]): NodeProcess[] {
  return hosts.flatMap(({ name: node, processes }) => processes.map((process) => ({ ...process, node })))
}

/** Returns nothing when the process has ended. */
function identify({ node, pid, args }: NodeProcess, role: string, pod: string): ClusterProcess[] {
  const startTicks = startTicksOf(pid)
  return startTicks === undefined ? [] : [{ pid, startTicks, role, node, pod, command: args.join(' ').trim() }]
}

/** Returns the guests that run in more than one QEMU now, as `namespace/name`. */
export async function guestsThatRunTwice(hosts: readonly Host[]): Promise<readonly string[]> {
  const nameOf = ({ namespace, name }: RunningGuest): string => `${namespace}/${name}`
  const crowded = [...Map.groupBy(guestsOn(hosts), nameOf).values()].filter(({ length }) => length > 1).flat()
  const states = await Promise.all(crowded.map(({ monitorSocket = '' }) => runStateAt(monitorSocket)))
  const running = Map.groupBy(
    crowded.filter((_, index) => states[index] === 'running'),
    nameOf,
  )
  return [...running].flatMap(([guest, { length }]) => (length > 1 ? [guest] : []))
}

/** Runs a command at the serial console of a guest, also while it starts or migrates. */
export function runOnConsole(
  hosts: readonly Host[],
  { namespace, name }: { readonly namespace: string; readonly name: string },
  command: string,
): ReturnType<typeof runWhenReachable> {
  const findConsole = async (): Promise<string> => {
    const { serialSocket } = (await findRunningGuest(guestsOn(hosts), namespace, name)) ?? {}
    if (serialSocket === undefined) throw new ConsoleUnreachable(`No QEMU runs ${namespace}/${name}`)
    return serialSocket
  }
  return runWhenReachable({ command, findConsole, deadline: Date.now() + consoleLimitMs, now: Date.now, sleep })
}
