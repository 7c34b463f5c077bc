import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { newestKubectl, noKubectl, runCommand, type CommandResult } from '../support/kubectl.ts'
import { protectedVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { seed } from '../support/effort.ts'

/** Number of guests of the drained node. The requirement is about 10. */
const guestCount = 4
/** Number of kills while nodes are drained. */
const kills = 4

suite(`kubectl drain of a node with ${guestCount} guests (seed ${seed})`, { skip: noKubectl }, () => {
  const names = Array.from({ length: guestCount }, (_, index) => `guest-${index}`)
  let machine: TestMachine
  let identities: ReadonlyMap<string, string>
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    await machine.kubectl(['cordon', 'node-2'])
    await machine.kubectl(['apply', '-f', '-'], names.map((name) => protectedVirtualMachine(name)).join('\n---\n'))
    for (const name of names) await machine.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=120s'])
    identities = await identify()
    await machine.kubectl(['uncordon', 'node-2'])
  })
  after(() => machine[Symbol.asyncDispose]())

  /** Identifies the run of each guest: UID of the VMI, and boot ID. */
  const identify = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>()
    for (const name of names) {
      const bootId = await machine.inGuest('cat /proc/sys/kernel/random/boot_id', name)
      found.set(name, `${textAt(await machine.getJson('vmi', name), 'metadata.uid')} ${bootId}`)
    }
    return found
  }
  const drain = (node: string, timeout: string): Promise<CommandResult> => {
    const args = ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${timeout}`]
    return runCommand(newestKubectl().path, args, { env: machine.env, timeoutMs: 900_000 })
  }
  const nodesOfGuests = async (): Promise<string[]> => {
    const text = await machine.kubectl(['get', 'vmi', '-o', 'jsonpath={range .items[*]}{.metadata.name}={.status.nodeName}{"\\n"}{end}'])
    return text.trim().split('\n').toSorted()
  }
  const all = (node: string): string[] => names.map((name) => `${name}=${node}`).toSorted()
  const state = (): Promise<string> => machine.kubectl(['get', 'vmi,vmim,pods', '-A', '-o', 'wide'])

  test('succeeds, with every guest and the control plane running on the other node', async () => {
    const { code, stderr } = await drain('node-1', '600s')
    assert.equal(code, 0, `${stderr}${await state()}`)
    assert.deepEqual(await nodesOfGuests(), all('node-2'))
    assert.deepEqual(await identify(), identities)
    assert.equal(machine.guests().length, guestCount)
    const left = await machine.kubectl(['get', 'pods', '-A', '--field-selector=spec.nodeName=node-1', '-o', 'name'])
    assert.doesNotMatch(left, /virt-api|virt-controller|virt-launcher/)
    // Nothing of the drain is left on the guests.
    const asked = ['get', 'vmi', '-o', 'jsonpath={.items[*].status.conditions[?(@.type=="EvictionRequested")].status}']
    await eventually(async () => (await machine.kubectl(asked)) === '', state)
    await machine.kubectl(['uncordon', 'node-1'])
  })

  test('fails with the name of the guest that cannot migrate, and uncordon reverts it', async () => {
    await machine.kubectl(['cordon', 'node-1'])
    await machine.kubectl(['apply', '-f', '-'], protectedVirtualMachine('firm', { interfaces: [{ name: 'pod', bridge: {} }] }))
    await machine.kubectl(['wait', 'vm/firm', '--for=condition=Ready', '--timeout=120s'])
    await machine.kubectl(['wait', 'vmi/firm', '--for=condition=LiveMigratable=False', '--timeout=60s'])
    await machine.kubectl(['uncordon', 'node-1'])
    const uid = textAt(await machine.getJson('vmi', 'firm'), 'metadata.uid')
    const drained = drain('node-2', '600s')
    // A later guest does not wait for the one that stays.
    await eventually(async () => (await nodesOfGuests()).join() === ['firm=node-2', ...all('node-1')].join(), state, 480_000)
    const blocked = ['get', 'vmi', 'firm', '-o', 'jsonpath={.status.conditions[?(@.type=="steadyvm.io/EvacuationBlocked")].reason}']
    await eventually(async () => (await machine.kubectl(blocked)) === 'NotMigratable', state)
    const refused = await drain('node-2', '7s')
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, /virt-launcher-firm-.*VMI firm is configured with an eviction strategy but is not live-migratable/)

    await machine.kubectl(['uncordon', 'node-2'])
    await eventually(async () => (await machine.kubectl(blocked)) === '', state)
    const marks = await machine.kubectl(['get', 'vmi', '-o', 'jsonpath={.items[*].status.evacuationNodeName}'])
    assert.equal(marks, '')
    assert.equal(textAt(await machine.getJson('vmi', 'firm'), 'metadata.uid'), uid)
    await machine.kubectl(['delete', 'vm', 'firm', '--timeout=60s'])
    // What waited for it has nothing to wait for any more.
    assert.equal((await drained).code, 0)
    assert.deepEqual(await identify(), identities)
  })

  test('keeps one replica of each replicated component', async () => {
    const replicas = (count: number | null): Promise<string> =>
      machine.kubectl([
        'patch',
        'kubevirt',
        'kubevirt',
        '-n',
        'kubevirt',
        '--type=merge',
        '-p',
        JSON.stringify({ spec: { infra: { replicas: count } } }),
      ])
    const available = async (): Promise<string[]> => {
      const path = 'jsonpath={range .items[*]}{.metadata.name}={.status.availableReplicas}{"\\n"}{end}'
      return (await machine.kubectl(['get', 'deployments', 'virt-api', 'virt-controller', '-n', 'kubevirt', '-o', path]))
        .trim()
        .split('\n')
        .toSorted()
    }
    const budgets = ['get', 'pdb', '-n', 'kubevirt', '-o', 'name']
    const usual = await machine.kubectl(budgets)
    await machine.kubectl(['cordon', 'node-2'])
    await replicas(2)
    await eventually(async () => (await available()).join() === 'virt-api=2,virt-controller=2', state)
    for (const name of ['virt-api-pdb', 'virt-controller-pdb'])
      await machine.kubectl(['wait', `pdb/${name}`, '-n', 'kubevirt', '--for=jsonpath={.status.disruptionsAllowed}=1', '--timeout=30s'])
    await machine.kubectl(['uncordon', 'node-2'])
    let isOver = false
    const draining = drain('node-1', '600s').finally(() => (isOver = true))
    // Whether they answer at each instant is a matter of how busy the machine is.
    const staying = async (component: string): Promise<number> => {
      const { items } = await machine.getJson('pods', '-n', 'kubevirt', '-l', `kubevirt.io=${component}`)
      const pods = items as unknown as readonly KubeJson[]
      return pods.filter((pod) => textAt(pod, 'status.phase') === 'Running' && textAt(pod, 'metadata.deletionTimestamp') === '').length
    }
    while (!isOver) for (const component of ['virt-api', 'virt-controller']) assert.ok((await staying(component)) >= 1, component)
    const { code, stderr } = await draining
    assert.equal(code, 0, `${stderr}${await state()}`)
    assert.deepEqual(await nodesOfGuests(), all('node-2'))
    await machine.kubectl(['uncordon', 'node-1'])
    await replicas(null)
    await eventually(async () => (await machine.kubectl(budgets)) === usual, state)
  })

  test(`completes although components are killed, ${kills} times`, async () => {
    const roll = createSeededRandom(seed).below
    const roles = ['virt-handler', 'virt-controller', 'virt-api', 'virt-operator'] as const
    let killed = 0
    for (let round = 0; killed < kills; round++) {
      const [from, to] = round % 2 === 0 ? ['node-2', 'node-1'] : ['node-1', 'node-2']
      let isOver = false
      const draining = drain(from, '600s').finally(() => (isOver = true))
      while (!isOver && killed < kills) {
        await new Promise((resolve) => setTimeout(resolve, 200 + roll(3_000)))
        const role = roles[roll(roles.length)]
        for (const found of machine.processes().filter((one) => one.role === role)) signalProcess(found, 'SIGKILL')
        killed += 1
      }
      const { code, stderr } = await draining
      assert.equal(code, 0, `${stderr}${await state()}`)
      assert.deepEqual(await nodesOfGuests(), all(to), await state())
      assert.equal(machine.guests().length, guestCount)
      await machine.kubectl(['uncordon', from])
      await eventually(
        async () => (await machine.kubectl(['get', 'vmi', '-o', 'jsonpath={.items[*].status.evacuationNodeName}'])) === '',
        state,
      )
    }
    assert.deepEqual(await identify(), identities)
  })
})
