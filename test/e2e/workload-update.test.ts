// Takes longer than 45 s: it builds a release, and guests move to it.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { protectedVirtualMachine } from '../support/manifests.ts'
import { longTest, repeats, seed } from '../support/effort.ts'

/** Number of kills while guests are updated. */
const kills = 4
const [own, next] = ['v0.1.0', 'v0.2.0']

suite(`update of guests to another release (seed ${seed})`, { skip: machineModeOnly('installs releases of machine mode') }, () => {
  const movable = Array.from({ length: repeats({ default: 1, long: 3 }) }, (_, index) => `guest-${index}`)
  let machine: TestMachine
  let identities: ReadonlyMap<string, string>

  const patch = (spec: object): Promise<string> =>
    machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify({ spec })])
  const state = (): Promise<string> => machine.kubectl(['get', 'vmi,vmim,pods,events', '-A', '-o', 'wide'])
  const pending = (kind: 'vm' | 'vmi', name: string): Promise<string> =>
    machine.kubectl(['get', kind, name, '-o', 'jsonpath={.status.conditions[?(@.type=="steadyvm.io/UpdatePending")].reason}'])
  const versionOf = async (name: string): Promise<string> =>
    textAt(await machine.getJson('vmi', name), 'status.launcherContainerImageVersion')
      .split(':')
      .at(-1) ?? ''
  /** Identifies the run of each guest by its boot ID. */
  const identify = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>()
    for (const name of [...movable, 'firm']) {
      found.set(name, await machine.inGuest('cat /proc/sys/kernel/random/boot_id', name))
    }
    return found
  }
  const go = async (version: string): Promise<void> => {
    await patch({ imageTag: version })
    const { code, stdout, stderr } = await machine.steadyvm('upgrade', 'status', '--watch', '--timeout', '180')
    assert.equal(code, 0, `${stdout}${stderr}`)
    await eventually(async () => (await pending('vmi', 'firm')) !== '', state)
  }
  /**
   * Enables guest updates, kills participating processes, and waits until all guests are updated.
   */
  const follow = async (version: string, killed: { count: number }): Promise<void> => {
    const roll = createSeededRandom(seed + killed.count).below
    const roles = ['virt-handler', 'virt-controller', 'virt-controller', 'virt-api', 'virt-operator'] as const
    const arrived = async (): Promise<boolean> => (await Promise.all(movable.map(versionOf))).every((found) => found === version)
    await patch({ workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } })
    while (killed.count < kills && !(await arrived().catch(() => false))) {
      const role = roles[roll(roles.length)]
      for (const found of machine.processes().filter((one) => one.role === role)) signalProcess(found, 'SIGKILL')
      killed.count += 1
      await sleep(500 + roll(4_000))
    }
    await eventually(arrived, state, 240_000)
    await eventually(
      async () => (await machine.kubectl(['get', 'vmim', '-o', 'jsonpath={.items[?(@.status.phase!="Succeeded")].status.phase}'])) === '',
      state,
    )
    await patch({ workloadUpdateStrategy: { workloadUpdateMethods: [] } })
  }

  before(async () => {
    machine = await startMachine({ nodes: 2, soakSeconds: 2 })
    const built = await machine.steadyvm('release', 'build', '--version', next)
    assert.equal(built.code, 0, built.stderr)
    const firm = protectedVirtualMachine('firm', { interfaces: [{ name: 'pod', bridge: {} }] })
    await machine.kubectl(['apply', '-f', '-'], [...movable.map((name) => protectedVirtualMachine(name)), firm].join('\n---\n'))
    for (const name of [...movable, 'firm']) await machine.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=120s'])
    identities = await identify()
  })
  after(() => machine[Symbol.asyncDispose]())

  test('does not start by itself, and each outdated VM has a condition', async () => {
    await go(next)
    for (const name of [...movable, 'firm']) {
      await eventually(async () => (await pending('vm', name)) === 'MethodNotEnabled', state)
      assert.equal(await versionOf(name), own)
    }
    await machine.kubectl([
      'wait',
      'kubevirt/kubevirt',
      '-n',
      'kubevirt',
      `--for=jsonpath={.status.outdatedVirtualMachineInstanceWorkloads}=${movable.length + 1}`,
      '--timeout=30s',
    ])
  })

  const killed = { count: 0 }
  test('migrates guests when it is enabled; the VM of an unmovable guest shows the reason', async () => {
    await follow(next, killed)
    await eventually(async () => (await pending('vm', 'guest-0')) === '' && (await pending('vm', 'firm')) !== '', state)
    assert.equal(await versionOf('firm'), own)
    assert.deepEqual(await identify(), identities)
    assert.equal(machine.guests().length, identities.size)
    await machine.kubectl([
      'wait',
      'kubevirt/kubevirt',
      '-n',
      'kubevirt',
      '--for=jsonpath={.status.outdatedVirtualMachineInstanceWorkloads}=1',
      '--timeout=30s',
    ])
  })

  longTest(`succeeds although components are killed ${kills} times`, async () => {
    for (let version = own; killed.count < kills; version = version === own ? next : own) {
      await patch({ imageTag: version })
      await follow(version, killed)
      assert.equal(machine.guests().length, identities.size)
    }
    assert.deepEqual(await identify(), identities)
  })
})
