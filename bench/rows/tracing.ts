import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Client } from '#client/client.ts'
import { startMachine, type TestMachine } from '../../test/support/machine.ts'
import { powerButtonVirtualMachine } from '../../test/support/manifests.ts'
import { startTraceCollector } from '../../test/support/observers/trace-collector.ts'
import { cpuTicksOf, memoryOf } from '../memory.ts'
import { mebibytes, median, spread, time, type Row } from '../measure.ts'
import { waitFor } from '../wait-for.ts'
import { untilAllRun } from './virtual-machines.ts'

const ROUNDS = Number(process.env['BENCH_TRACING_ROUNDS'] ?? 15)
/** Creations in a dry run, each of which is admitted, in a round. */
const ADMISSIONS = 40
const variable = 'OTEL_EXPORTER_OTLP_ENDPOINT'

/** A machine, and what it has taken in each round. */
interface Traced {
  readonly name: 'off' | 'on' | 'hanging'
  readonly machine: TestMachine
  readonly client: Client
  readonly starts: number[]
  readonly admissions: number[]
}

/**
 * Starts of VMs and admissions without tracing, with a collector, and with one that accepts
 * connections and never answers: side by side and in turn, so that the load of the machine is the
 * same for all.
 */
export async function tracingRows(): Promise<Row[]> {
  using collector = await startTraceCollector()
  using hanging = await startHangingServer()
  await using stack = new AsyncDisposableStack()
  const all: Traced[] = []
  for (const [name, url] of [
    ['off', undefined],
    ['on', collector.url],
    ['hanging', hanging.url],
  ] as const) {
    if (url !== undefined) process.env[variable] = url
    const machine = stack.use(await startMachine().finally(() => delete process.env[variable]))
    const { client } = stack.use(await machine.connect())
    all.push({ name, machine, client, starts: [], admissions: [] })
  }
  // Everything that is loaded late is loaded then.
  for (const one of all) await measure(one, 'warm')
  for (const one of all) [one.starts.length, one.admissions.length] = [0, 0]
  const before = new Map(all.map(({ name, machine }) => [name, componentTicks(machine)]))
  for (let round = 0; round < ROUNDS; round++) for (const one of all) await measure(one, `vm-${round}`)
  const [off, ...others] = all
  if (off === undefined) return []
  const cpu = ({ name, machine }: Traced): number => (componentTicks(machine) - (before.get(name) ?? 0)) / 100 / ROUNDS
  const pss = ({ machine }: Traced): number => componentPids(machine).reduce((sum, pid) => sum + memoryOf(pid).pss, 0)
  const line = (one: Traced): string =>
    `VM start ${spread(one.starts)}; admission ${time(median(one.admissions))}; ${cpu(one).toFixed(2)} s of a processor per round; components ${mebibytes(pss(one))}`
  return [
    { what: 'tracing off', measured: line(off), budget: '', within: undefined, peer: '' },
    ...others.map((one): Row => {
      const ratio = (read: (of: Traced) => readonly number[]): number => median(read(one)) / median(read(off))
      const [start, admission] = [ratio(({ starts }) => starts), ratio(({ admissions }) => admissions)]
      return {
        what:
          one.name === 'on'
            ? `tracing on, ${collector.spans().length} spans`
            : `tracing on, a collector that hangs, ${hanging.connections()} connections`,
        measured: line(one),
        budget: '≤ 1.1x of off',
        within: start <= 1.1 && admission <= 1.1,
        peer: `off: VM start ${start.toFixed(2)}x, admission ${admission.toFixed(2)}x, processor ${(cpu(one) / cpu(off)).toFixed(2)}x`,
      }
    }),
  ]
}

async function measure({ machine, client, starts, admissions }: Traced, name: string): Promise<void> {
  const vm = JSON.parse(powerButtonVirtualMachine(machine, name)) as VirtualMachine
  const starting = untilAllRun(machine, [name])
  const created = performance.now()
  await client.create(virtualMachines, vm)
  starts.push(((await starting).get(name) ?? Number.NaN) - created)
  for (let count = 0; count < ADMISSIONS; count++) {
    const asked = performance.now()
    await client.create(virtualMachines, { ...vm, metadata: { ...vm.metadata, name: `${name}-dry` } }, { dryRun: true })
    admissions.push(performance.now() - asked)
  }
  await client.delete(virtualMachines, { namespace: 'default', name })
  await waitFor(`${name} has ended`, () => !machine.guests().some((guest) => guest.name === name), { everyMs: 100, limitMs: 60_000 })
}

function componentPids(machine: TestMachine): number[] {
  return machine.processes().flatMap(({ pid, role }) => (role === 'compute' ? [] : [pid]))
}

function componentTicks(machine: TestMachine): number {
  return componentPids(machine).reduce((sum, pid) => sum + cpuTicksOf(pid), 0)
}

interface HangingServer extends Disposable {
  readonly url: string
  readonly connections: () => number
}

/** A server that accepts connections, reads, and never answers. */
async function startHangingServer(): Promise<HangingServer> {
  const sockets = new Set<Disposable>()
  const server = createServer((socket) => {
    sockets.add({ [Symbol.dispose]: () => socket.destroy() })
    socket.on('error', () => {}).resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => sockets.size,
    [Symbol.dispose]() {
      for (const socket of sockets) socket[Symbol.dispose]()
      server.close()
    },
  }
}
