import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { TestMachine } from '../test/support/machine.ts'
import { powerButtonVirtualMachine } from '../test/support/manifests.ts'
import { untilAllRun } from './rows/virtual-machines.ts'
import { waitFor } from './wait-for.ts'

/** Number of tiny guests. */
export const tinyGuests = Number(process.env['BENCH_TINY_GUESTS'] ?? 100)

/** Guests that run. */
export interface StartedGuests {
  readonly names: readonly string[]
  readonly pids: readonly number[]
  /** Milliseconds from the creation of each VM to the first instruction of its guest. */
  readonly starts: readonly number[]
}

/** Creates tiny guests at once, does work while all run, and deletes them. */
export async function withTinyGuests<T>(
  machine: TestMachine,
  prefix: string,
  work: (guests: StartedGuests) => Promise<T>,
  edit: (vm: string) => string = (vm) => vm,
): Promise<T> {
  using cluster = await machine.connect()
  const names = Array.from({ length: tinyGuests }, (_, index) => `${prefix}-${index}`)
  const starting = untilAllRun(machine, names)
  const created = new Map<string, number>()
  await Promise.all(
    names.map(async (name) => {
      created.set(name, performance.now())
      await cluster.client.create(virtualMachines, JSON.parse(edit(powerButtonVirtualMachine(machine, name))) as VirtualMachine)
    }),
  )
  const starts = [...(await starting)].map(([name, ms]) => ms - (created.get(name) ?? 0))
  await machine.kubectl(['wait', ...names.map((name) => `vmi/${name}`), '--for=jsonpath={.status.phase}=Running', '--timeout=600s'])
  const pids = machine.guests().flatMap(({ name, process: { pid } }) => (names.includes(name) ? [pid] : []))
  const done = await work({ names, pids, starts })
  await machine.kubectl(['delete', 'vm', ...names, '--wait=false'])
  await waitFor('all guests have ended', () => !machine.guests().some(({ name }) => names.includes(name)), {
    everyMs: 200,
    limitMs: 600_000,
  })
  return done
}
