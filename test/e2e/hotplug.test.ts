import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, repository, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'

const most = { cpu: 4, memory: '2Gi' }

function instancetype(name: string, guest: number, memory: string): object {
  const spec = { cpu: { guest, maxSockets: most.cpu }, memory: { guest: memory, maxGuest: most.memory } }
  return { apiVersion: 'instancetype.kubevirt.io/v1beta1', kind: 'VirtualMachineInstancetype', metadata: { name }, spec }
}

suite('hotplug of CPUs and memory', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    for (const type of [instancetype('narrow', 1, '1Gi'), instancetype('wide', 2, '1280Mi')]) await apply(type)
    const example = (file: string): string => readFileSync(join(repository, 'examples', file), 'utf8')
    // Of cores none can be plugged in.
    const preference = example('2-preference.yaml').replace('preferredCPUTopology: cores', 'preferredCPUTopology: sockets')
    const demo = example('3-virtual-machine.yaml').replace('name: small', 'name: narrow')
    await machine.kubectl(['apply', '-f', '-'], `${preference}\n---\n${demo}`)
    await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=120s'])
  })
  after(() => machine[Symbol.asyncDispose]())

  const apply = (object: object): Promise<string> => machine.kubectl(['apply', '-f', '-'], JSON.stringify(object))
  const resize = (spec: object): Promise<string> => machine.kubectl(['patch', 'vm', 'demo', '--type=merge', '-p', JSON.stringify({ spec })])
  const inGuest = (command: string): Promise<string> => machine.inGuest(command, 'demo')
  const numberIn = async (command: string): Promise<number> => Number(/(\d+)\s*$/.exec(await inGuest(command))?.[1])
  const memoryMib = async (): Promise<number> => (await numberIn("sed -n 's/MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo")) / 1024
  const vmi = (): Promise<KubeJson> => machine.getJson('vmi', 'demo')
  const at = async (path: string): Promise<string> => textAt(await vmi(), path)
  const conditionOf = (kind: string, type: string, field = 'status'): Promise<string> =>
    machine.kubectl(['get', kind, 'demo', '-o', `jsonpath={.status.conditions[?(@.type=="${type}")].${field}}`])
  const describeObjects = (): Promise<string> => machine.kubectl(['get', 'vm,vmi,hw', '-o', 'yaml'])
  const until = (path: string, wanted: string): Promise<void> =>
    eventually(async () => (await at(path)) === wanted, describeObjects, 90_000)
  /** Boot ID of the guest: differs for each run. */
  const boot = (): Promise<string> => inGuest('cat /proc/sys/kernel/random/boot_id')

  test('is possible only through the VM: the spec and the owner of a VMI are immutable', async () => {
    const before = (await vmi())['spec']
    const change = (body: object): ReturnType<TestMachine['tryKubectl']> =>
      machine.tryKubectl(['patch', 'vmi', 'demo', '--type=merge', '-p', JSON.stringify(body)])
    for (const spec of [
      { domain: { cpu: { sockets: 3 } } },
      { domain: { memory: { guest: '1280Mi' } } },
      { domain: { machine: { type: 'pc' } } },
      { evictionStrategy: 'Bogus' },
      { nodeSelector: { zone: 'b' } },
      { terminationGracePeriodSeconds: 0 },
    ]) {
      const { code, stderr } = await change({ spec })
      assert.equal(code, 1, JSON.stringify(spec))
      assert.match(stderr, /update of VMI object is restricted/)
    }
    for (const label of ['kubevirt.io/nodeName', 'kubevirt.io/migrationTargetNodeName']) {
      const { code, stderr } = await change({ metadata: { labels: { [label]: 'elsewhere' } } })
      assert.equal(code, 1, label)
      assert.match(stderr, /modification of the following reserved kubevirt\.io\/ labels on a VMI object is prohibited/)
    }
    assert.equal((await change({ metadata: { labels: { team: 'red' }, annotations: { note: 'mine' } } })).code, 0)
    assert.deepEqual((await vmi())['spec'], before)
  })

  test('by another instance type adds CPUs and memory within seconds, without a restart', async () => {
    const [id, memory, qemus] = [await boot(), await memoryMib(), machine.guests().map(({ process }) => process.pid)]
    assert.equal(await numberIn('nproc'), 1)
    await resize({ instancetype: { name: 'wide' } })
    await until('status.currentCPUTopology.sockets', '2')
    await until('status.memory.guestCurrent', '1280Mi')
    assert.deepEqual([await at('status.memory.guestRequested'), await at('status.memory.guestAtBoot')], ['1280Mi', '1Gi'])
    await eventually(async () => (await numberIn('nproc')) === 2, describeObjects)
    assert.ok((await memoryMib()) > memory + 200, `${await memoryMib()} MiB after ${memory}`)
    assert.equal(await boot(), id)
    assert.deepEqual(
      machine.guests().map(({ process }) => process.pid),
      qemus,
    )
    await eventually(async () => {
      const vm = await machine.getJson('vm', 'demo')
      return textAt(vm, 'status.observedGeneration') === textAt(vm, 'metadata.generation')
    }, describeObjects)
    for (const type of ['HotVCPUChange', 'HotMemoryChange'])
      await eventually(async () => (await conditionOf('vmi', type)) === '', describeObjects)
    assert.equal(await conditionOf('vm', 'RestartRequired'), '')
  })

  test('resizes the launcher pod, which stays the same', async () => {
    const ofPod = (path: string): Promise<string> =>
      machine.kubectl(['get', 'pods', '-l', 'vm.kubevirt.io/name=demo', '-o', `jsonpath={.items[*].${path}}`])
    const requests = 'spec.containers[0].resources.requests'
    const requested = async (): Promise<string> => `${await ofPod(`${requests}.cpu`)} ${await ofPod(`${requests}.memory`)}`
    // 1280Mi, 50Mi for QEMU, 8Mi for each vCPU and 1/512 for page tables.
    await eventually(async () => (await requested()) === '200m 1380864Ki', requested)
    assert.equal(await ofPod('status.containerStatuses[0].restartCount'), '0')
    assert.equal(await conditionOf('vmi', 'steadyvm.io/PodResized'), '')
  })

  test('is recorded as an expected change of hardware', async () => {
    const reason = async (): Promise<string> => textAt(await machine.getJson('hw', 'demo'), 'history.0.reason')
    await eventually(async () => (await reason()) === 'Plugged', describeObjects)
    assert.equal(await conditionOf('vmi', 'steadyvm.io/HardwareChanged'), '')
    assert.doesNotMatch(await machine.kubectl(['get', 'events']), /not foreseen/)
  })

  test('survives a migration, after which more can be plugged, although agents are killed', async () => {
    const [id, node, memory] = [await boot(), await at('status.nodeName'), await memoryMib()]
    const migration = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name: 'away' },
      spec: { vmiName: 'demo' },
    }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(migration))
    await machine.kubectl(['wait', 'vmim/away', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=150s'])
    assert.notEqual(await at('status.nodeName'), node)
    assert.equal(await numberIn('nproc'), 2)
    assert.equal(await memoryMib(), memory)
    await apply(instancetype('wider', 3, '1280Mi'))
    const agents = machine.processes().filter(({ role }) => role === 'virt-handler')
    assert.equal(agents.length, 2)
    await resize({ instancetype: { name: 'wider' } })
    for (const agent of agents) signalProcess(agent, 'SIGKILL')
    await until('status.currentCPUTopology.sockets', '3')
    await eventually(async () => (await numberIn('nproc')) === 3, describeObjects)
    assert.equal(await boot(), id)
    assert.doesNotMatch(await machine.kubectl(['get', 'events']), /not foreseen/)
  })

  test('does not shrink a guest: that waits for a restart, and the VM shows the reason', async () => {
    await resize({ instancetype: { name: 'narrow' } })
    await eventually(
      async () => (await conditionOf('vm', 'RestartRequired', 'message')) === 'Reduction of CPU socket count requires a restart',
      describeObjects,
    )
    assert.equal(await at('status.currentCPUTopology.sockets'), '3')
  })
})
