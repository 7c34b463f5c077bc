import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { installHyperConverged } from '../support/hyperconverged.ts'
import { noKubectl } from '../support/kubectl.ts'
import { editGuest, protectedVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'

const system = ['-n', 'kubevirt']
const name = 'kubevirt-hyperconverged'
/** Only components may write the status of a VMI. */
const component = 'system:serviceaccount:kubevirt:virt-controller'
const bootId = 'cat /proc/sys/kernel/random/boot_id'

suite('edits of HyperConverged reach components and guests that run', { skip: noKubectl }, () => {
  let machine: TestMachine
  let identity: string
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    await machine.kubectl(['apply', '-f', '-'], protectedVirtualMachine('web'))
    await installHyperConverged(machine)
    await machine.kubectl(['wait', 'vm/web', '--for=condition=Ready', '--timeout=180s'])
    identity = await machine.inGuest(bootId, 'web')
  })
  after(() => machine[Symbol.asyncDispose]())

  const edit = (spec: object): Promise<string> =>
    machine.insist(['patch', 'hco', name, ...system, '--type=merge', '-p', JSON.stringify({ spec })])
  const state = (): Promise<string> => machine.kubectl(['get', 'hco,kubevirt,vmi,vmim,pods', '-A', '-o', 'yaml'])
  const of = async (kind: string, object: string, path: string, ...where: string[]): Promise<string> =>
    textAt(await machine.getJson(kind, object, ...where), path)

  test('limits of migrations are those of the next migration of a running guest', async () => {
    await edit({ virtualization: { liveMigrationConfig: { bandwidthPerMigration: '200Mi', completionTimeoutPerGiB: 777 } } })
    const wanted = 'spec.configuration.migrations.completionTimeoutPerGiB'
    await eventually(async () => (await of('kubevirt', 'kubevirt', wanted, ...system)) === '777', state)
    const before = await of('vmi', 'web', 'status.nodeName')
    const migration = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name: 'move' },
      spec: { vmiName: 'web' },
    }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(migration))
    const phase = (): Promise<string> => of('vmim', 'move', 'status.phase')
    await eventually(async () => ['Succeeded', 'Failed'].includes(await phase()), state)
    assert.equal(await phase(), 'Succeeded', await state())
    const { status } = await machine.getJson('vmi', 'web')
    const used = 'migrationState.migrationConfiguration'
    assert.equal(textAt(status ?? {}, `${used}.completionTimeoutPerGiB`), '777')
    assert.equal(textAt(status ?? {}, `${used}.bandwidthPerMigration`), '200Mi')
    assert.notEqual(textAt(status ?? {}, 'nodeName'), before)
    assert.equal(await machine.inGuest(bootId, 'web'), identity)
  })

  test('a gate opens and closes a field of new guests', async () => {
    const vm = (gated: string): string =>
      editGuest(protectedVirtualMachine(gated), (spec) => ({
        ...spec,
        domain: { ...spec.domain, devices: { ...spec.domain.devices, downwardMetrics: {} } },
      })).replace('"runStrategy":"Always"', '"runStrategy":"Halted"')
    const create = (): ReturnType<TestMachine['tryKubectl']> => machine.tryKubectl(['create', '--dry-run=server', '-f', '-'], vm('gated'))
    const { code, stderr } = await create()
    assert.equal(code, 1)
    assert.match(stderr, /downwardMetrics virtio serial is not allowed: DownwardMetrics feature gate is not enabled/)
    await edit({ featureGates: [{ name: 'downwardMetrics' }] })
    await eventually(async () => (await create()).code === 0, state)
    await edit({ featureGates: [] })
    await eventually(async () => (await create()).code === 1, state)
  })

  test('an outdated guest moves once workload updates are switched on', async () => {
    await edit({ virtualization: { workloadUpdateStrategy: { workloadUpdateMethods: [] } } })
    const methods = (): Promise<string> =>
      machine.kubectl(['get', 'kubevirt', ...system, '-o', 'jsonpath={.items[0].spec.workloadUpdateStrategy.workloadUpdateMethods}'])
    await eventually(async () => ['', '[]'].includes(await methods()), state)
    // As a guest is that an older release has started.
    const image = await of('vmi', 'web', 'status.launcherContainerImageVersion')
    const old = JSON.stringify({ status: { launcherContainerImageVersion: 'virt-launcher:old' } })
    await machine.kubectl(['patch', 'vmi', 'web', '--type=merge', '-p', old, '--as', component])
    const pending = (): Promise<string> =>
      machine.kubectl(['get', 'vmi', 'web', '-o', 'jsonpath={.status.conditions[?(@.type=="steadyvm.io/UpdatePending")].reason}'])
    await eventually(async () => (await pending()) === 'MethodNotEnabled', state)
    await edit({ virtualization: { workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } } })
    await eventually(async () => (await of('vmi', 'web', 'status.launcherContainerImageVersion')) === image, state)
    assert.equal(await machine.inGuest(bootId, 'web'), identity)
  })

  test('a placement moves components and new guests, and leaves running guests alone', async () => {
    const node = await of('vmi', 'web', 'status.nodeName')
    const components = async (label: string): Promise<readonly string[]> => {
      const path = '{range .items[?(@.status.phase=="Running")]}{.spec.nodeName}{"\\n"}{end}'
      return [
        ...new Set(
          (await machine.kubectl(['get', 'pods', ...system, '-l', `kubevirt.io=${label}`, '-o', `jsonpath=${path}`])).trim().split('\n'),
        ),
      ]
    }
    const placed = (where: object): object => ({ deployment: { nodePlacements: { infra: where, workload: where } } })
    await machine.kubectl(['label', 'node', node, 'zone=here'])
    await edit(placed({ nodeSelector: { zone: 'here' } }))
    for (const label of ['virt-handler', 'virt-controller', 'virt-api'])
      await eventually(async () => (await components(label)).join() === node, state)
    await machine.kubectl(['wait', 'kubevirt/kubevirt', ...system, '--for=condition=Progressing=False', '--timeout=120s'])
    const next = editGuest(protectedVirtualMachine('next'), (spec) => ({ ...spec, terminationGracePeriodSeconds: 0 }))
    await machine.kubectl(['apply', '-f', '-'], next)
    await eventually(async () => (await of('vm', 'next', 'status.printableStatus')) === 'Running', state)
    assert.equal(await of('vmi', 'next', 'status.nodeName'), node)
    await machine.kubectl(['delete', 'vm', 'next', '--wait=false'])
    assert.equal(await machine.inGuest(bootId, 'web'), identity)
    await edit({ deployment: { nodePlacements: null } })
    await eventually(async () => (await components('virt-handler')).length === 2, state)
    await machine.kubectl(['label', 'node', node, 'zone-'])
    assert.equal(await machine.inGuest(bootId, 'web'), identity)
  })
})
