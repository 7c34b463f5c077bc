import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import type { Cluster } from '#cli/cluster/connect.ts'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { assertRunOnce } from '../support/observers/guest-invariants.ts'
import { eventually, startMachine, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { protectedVirtualMachine } from '../support/manifests.ts'
import { whenObserved } from '../support/observers/when-observed.ts'
import { next, operationsOf, type Operation } from './operations.ts'
import { seed } from '../support/effort.ts'

/**
 * Number of kills in each operation, each at another step or of another target. The combinations
 * are 35 for an upgrade, 40 for an update, 35 for a migration and 40 for a drain.
 */
const kills = 2
const operationNames = ['upgrade', 'update', 'migration', 'drain'] as const
const limitMs = 400_000

const targets: Readonly<Record<string, readonly string[]>> = {
  'the operator': ['virt-operator'],
  'the controllers': ['virt-controller'],
  'the node agents': ['virt-handler'],
  'the API': ['virt-api'],
  'all processes except the guests': ['virt-operator', 'virt-controller', 'virt-handler', 'virt-api', 'apiserver'],
}

suite(
  `kill -9 of a process at a named step (seed ${seed})`,
  { skip: machineModeOnly('test/kubernetes/crash.long.test.ts kills processes of a cluster') },
  () => {
    const names = ['guest-0', 'guest-1']
    let machine: TestMachine
    let cluster: Cluster
    let identities: readonly string[]
    let operations: ReturnType<typeof operationsOf>

    before(async () => {
      machine = await startMachine({ nodes: 2, soakSeconds: 2 })
      cluster = await machine.connect()
      operations = operationsOf(machine, names)
      await machine.kubectl(['annotate', 'kubevirt', 'kubevirt', '-n', 'kubevirt', 'steadyvm.io/keep-former-version-for=3s'])
      const built = await machine.steadyvm('release', 'build', '--version', next)
      assert.equal(built.code, 0, built.stderr)
      await machine.kubectl(['apply', '-f', '-'], [claim, ...names.map(withDisk)].join('\n---\n'))
      for (const name of names) await machine.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=300s'])
      await inGuests('dd if=/bin/busybox of=/dev/vda bs=64k count=8 conv=fsync 2>/dev/null')
      identities = await identify()
    })
    after(async () => {
      cluster[Symbol.dispose]()
      await machine[Symbol.asyncDispose]()
    })

    const inGuests = (command: string): Promise<readonly string[]> =>
      Promise.all(
        names.map(async (name) => {
          const { code, stdout, stderr } = await machine.steadyvm('console', '--run', command, '--timeout', '300', name)
          assert.equal(code, 0, stderr)
          return stdout
        }),
      )
    /** Identifies the run of each guest: UID of the VMI, boot ID, and content of the disk. */
    const identify = async (): Promise<readonly string[]> => [
      ...(await inGuests('cat /proc/sys/kernel/random/boot_id; dd if=/dev/vda bs=64k count=8 2>/dev/null | sha256sum')),
      await machine.kubectl(['get', 'vmi', '-o', 'jsonpath={.items[*].metadata.uid}']),
    ]
    const state = async (): Promise<string> => (await machine.tryKubectl(['get', 'kubevirt,vmi,vmim,pods', '-A', '-o', 'wide'])).stdout

    const runAndKill = async (
      operation: Operation,
      isStep: Parameters<typeof whenObserved>[1],
      roles: readonly string[],
    ): Promise<void> => {
      const kill = (): void => {
        for (const found of machine.processes().filter(({ role }) => roles.includes(role))) signalProcess(found, 'SIGKILL')
      }
      await using observer = await whenObserved(cluster.client, isStep, kill)
      const isOver = await operation.begin()
      const deadline = Date.now() + limitMs
      while (!(await isOver().catch((error: unknown) => (observer.isOver ? false : Promise.reject(error))))) {
        if (Date.now() > deadline) assert.fail(await state())
        await assertRunOnce(machine.home)
        await sleep(50)
      }
      assert.ok(observer.isOver, 'the step was never reached')
      await eventually(
        () => machine.guests().length === names.length,
        () => `${machine.guests().length} QEMUs are left`,
        limitMs,
      )
      await operation.end()
    }

    for (let round = 0; round < kills; round++) {
      for (const name of operationNames) {
        test(`in round ${round + 1} of ${kills}, ${name}: every guest runs exactly once`, async (t) => {
          const operation = operations[name]
          const all = Object.entries(operation.steps).flatMap(([step, isStep]) =>
            Object.keys(targets).map((target) => ({ step, isStep, target })),
          )
          // Spreads few rounds over all combinations, and covers each one once in enough rounds.
          const chosen = all[(seed + round * strideOf(all.length)) % all.length]
          assert.ok(chosen !== undefined)
          t.diagnostic(`${chosen.target} when ${chosen.step}`)
          await runAndKill(operation, chosen.isStep, targets[chosen.target] ?? [])
          const phases = await machine.kubectl(['get', 'vmi', '-o', 'jsonpath={.items[*].status.phase}'])
          assert.equal(phases, 'Running Running')
        })
      }
      test(`in round ${round + 1} of ${kills}, no guest was restarted`, async () => assert.deepEqual(await identify(), identities))
    }
  },
)

/** A claim that both nodes can mount. */
const claim = JSON.stringify({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'guest-1' },
  spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '16Mi' } } },
})

/**
 * Returns a guest that an eviction must not stop. The first has a disk that a migration copies, the
 * second a shared one.
 */
function withDisk(name: string): string {
  const vm = JSON.parse(protectedVirtualMachine(name)) as {
    spec: { template: { spec: { volumes?: object[]; domain: { devices: { disks?: object[] } } } } }
  }
  const { spec } = vm.spec.template
  const source = name === 'guest-0' ? { emptyDisk: { capacity: '16Mi' } } : { persistentVolumeClaim: { claimName: name } }
  spec.volumes = [{ name: 'data', ...source }]
  spec.domain.devices.disks = [{ name: 'data', disk: { bus: 'virtio' } }]
  return JSON.stringify(vm)
}

/** Returns about 0.618 of a number, without a common divisor. */
function strideOf(count: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))
  let stride = Math.max(1, Math.round(count * 0.618))
  while (divisor(count, stride) !== 1) stride += 1
  return stride
}
