import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import type { RunningGuest } from '#machine/guests/running-guests.ts'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { diskVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { sample } from '../support/effort.ts'
import { runStateAt } from '../support/observers/run-state.ts'

/** Migrations with a killed process, each at another step. */
const rounds = sample([0, 1, 2, 3, 4], 1)
/** Approximate duration of a migration of the demo guest. */
const migrationMs = 1_500

suite(
  'a guest of whose migration a process is killed',
  { skip: machineModeOnly('test/kubernetes/crash.long.test.ts kills processes of a cluster') },
  () => {
    let machine: TestMachine
    before(async () => {
      machine = await startMachine({ nodes: 2 })
      await machine.kubectl(['apply', '-f', '-'], diskVirtualMachine('demo', { emptyDisk: { capacity: '16Mi' } }))
      await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=60s'])
      await inGuest('echo kept >/tmp/kept')
    })
    after(() => machine[Symbol.asyncDispose]())

    const inGuest = (command: string): Promise<string> => machine.inGuest(command, 'demo')
    const identity = (): Promise<string> => inGuest('cat /proc/sys/kernel/random/boot_id /tmp/kept')
    const qemus = (): RunningGuest[] => machine.guests()
    const create = async (): Promise<string> => {
      const migration = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration', spec: { vmiName: 'demo' } }
      const object = JSON.stringify({ ...migration, metadata: { generateName: 'm-' } })
      return (await machine.insist(['create', '-f', '-', '-o', 'name'], object)).trim()
    }
    const isOver = async (migration: string): Promise<boolean> =>
      ['Succeeded', 'Failed'].includes(textAt(await machine.getJson(migration), 'status.phase'))

    /** Kills processes of the control plane whose role has one of the prefixes. */
    const kill = (...roles: readonly string[]): void => {
      const found = machine.processes().filter(({ role }) => roles.some((prefix) => role.startsWith(prefix)))
      for (const process of found) signalProcess(process, 'SIGKILL')
    }
    const targets: Readonly<Record<string, (home: string) => void | Promise<void>>> = {
      'the node agents': () => kill('virt-handler'),
      'the controller': () => kill('virt-controller'),
      'the API server': () => kill('apiserver'),
      'the target QEMU': killIdleQemus,
      'all processes except the guest': () => kill('virt-', 'apiserver'),
    }
    const nodeOfGuest = async (): Promise<string> => textAt(await machine.getJson('vmi/demo'), 'status.nodeName')
    /** Kills the QEMUs that do not run the guest. */
    async function killIdleQemus(home: string): Promise<void> {
      const idle = qemus()
        .map(({ process }) => process)
        .filter(({ node }) => node !== home)
      // A stopped QEMU cannot take over the guest between the query and the kill.
      for (const process of idle) signalProcess(process, 'SIGSTOP')
      await sleep(200)
      const signal = (await nodeOfGuest()) === home ? 'SIGKILL' : 'SIGCONT'
      for (const process of idle) signalProcess(process, signal)
    }

    for (const round of rounds) {
      const names = Object.keys(targets)
      const name = names[round % names.length] ?? ''
      const afterMs = Math.round(((round * 0.618) % 1) * migrationMs)
      test(`runs exactly once: ${name}, after ${afterMs} ms`, async () => {
        const before = await identity()
        const home = await nodeOfGuest()
        const migration = await create()
        await sleep(afterMs)
        await targets[name]?.(home)
        const deadline = Date.now() + 120_000
        while (!(await isOver(migration).catch(() => false))) {
          assert.ok(Date.now() < deadline, `${migration} does not end`)
          assert.ok((await countRunning(qemus())) <= 1, 'the guest runs twice')
          await sleep(50)
        }
        await eventually(
          () => qemus().length === 1,
          () => `${qemus().length} QEMUs are left`,
        )
        assert.equal(await identity(), before)
      })
    }
  },
)

/**
 * Returns the number of QEMUs that run their guest now. A QEMU that does not answer has ended, or
 * has not started yet.
 */
async function countRunning(guests: readonly RunningGuest[]): Promise<number> {
  const states = await Promise.all(guests.map(async ({ monitorSocket = '' }) => runStateAt(monitorSocket)))
  return states.filter((state) => state === 'running').length
}
