import { runStateAt } from '../support/observers/run-state.ts'
import type { Host } from './host/host.ts'

/** A QEMU on a node. */
export interface QemuProcess {
  readonly pid: number
  readonly node: string
  /** `<namespace>_<name>` of the VM. */
  readonly guest: string
  /** QMP socket for tools, in the mount namespace of the machine. */
  readonly monitor: string
  /** File with the output of the serial console, in the mount namespace of the machine. */
  readonly serialLog: string
}

/** Lists the QEMUs of all nodes. */
export function qemusOn(hosts: readonly Host[]): readonly QemuProcess[] {
  return hosts.flatMap(({ name: node, processes }) =>
    processes.flatMap(({ pid, args }) => {
      const guest = args.find((word) => word.startsWith('guest='))?.slice('guest='.length)
      const part = (device: string, name: string): string => {
        const option = args.find((word) => word.startsWith(`socket,id=${device},`)) ?? ''
        return `/proc/${pid}/root${new RegExp(`,${name}=([^,]+)`).exec(option)?.[1] ?? ''}`
      }
      return guest === undefined ? [] : [{ pid, node, guest, monitor: part('monitor1', 'path'), serialLog: part('serial0', 'logfile') }]
    }),
  )
}

/** Returns the guests that run in more than one QEMU now. */
export async function guestsThatRunTwice(hosts: readonly Host[]): Promise<readonly string[]> {
  const qemus = qemusOn(hosts)
  const crowded = [...Map.groupBy(qemus, ({ guest }) => guest).values()].filter(({ length }) => length > 1)
  const states = await Promise.all(crowded.flat().map(async (qemu) => ({ ...qemu, state: await runStateAt(qemu.monitor) })))
  const running = Map.groupBy(
    states.filter(({ state }) => state === 'running'),
    ({ guest }) => guest,
  )
  return [...running].flatMap(([guest, { length }]) => (length > 1 ? [guest] : []))
}
