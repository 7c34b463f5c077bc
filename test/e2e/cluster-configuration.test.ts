import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { longTest } from '../support/effort.ts'
import { noKubectl, type CommandResult } from '../support/kubectl.ts'
import { demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { untilGuestsRun } from '../support/guests/running-guests.ts'

suite('the KubeVirt object configures the cluster', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  const patch = (configuration: object): string[] => [
    'patch',
    'kubevirt',
    'kubevirt',
    '-n',
    'kubevirt',
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { configuration } }),
  ]
  const configure = (configuration: object): Promise<string> => machine.kubectl(patch(configuration))
  const verdict = 'jsonpath={range .status.conditions[?(@.type=="ConfigurationValid")]}{.status} {.message}{end}'
  const condition = (): Promise<string> => machine.kubectl(['get', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '-o', verdict])
  /** Returns the VMI that admission completes from a minimal one. Nothing is stored. */
  const completed = (): Promise<string> => {
    const { metadata, spec } = JSON.parse(demoVirtualMachine('probe')) as { metadata: object; spec: { template: { spec: object } } }
    const vmi = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', metadata, spec: spec.template.spec }
    const path = 'jsonpath={.spec.domain.cpu.model} {.spec.evictionStrategy}'
    return machine.kubectl(['create', '--dry-run=server', '-f', '-', '-o', path], JSON.stringify(vmi))
  }

  test('it exists from the start, with a valid configuration', async () => {
    await eventually(async () => (await condition()).startsWith('True'), condition)
    const restarts = 'jsonpath={.items[*].status.containerStatuses[*].restartCount}'
    assert.match(await machine.kubectl(['get', 'pods', '-n', 'kubevirt', '-o', restarts]), /^0( 0)*$/, 'nothing had to be tried twice')
  })

  test('a change takes effect without a restart', async () => {
    assert.equal(await completed(), 'host-model None')
    await configure({ cpuModel: 'Haswell', evictionStrategy: 'External' })
    await eventually(async () => (await completed()) === 'Haswell External', completed)
  })

  longTest('another machine type is admitted once the cluster allows it, and starts', async () => {
    const old = editGuest(demoVirtualMachine('old-pc'), (spec) => ({
      ...spec,
      // On a q35 machine the firmware makes tables of its own.
      domain: { ...spec.domain, machine: { type: 'pc' }, features: { acpi: { enabled: false } } },
    }))
    const create = (): Promise<CommandResult> => machine.tryKubectl(['create', '-f', '-'], old)
    assert.match((await create()).stderr, /machine\.type is not supported: pc \(allowed values: \[q35\* pc-q35\*\]\)/)
    // Not every node has the CPU model of the test before.
    await configure({ cpuModel: null, architectureConfiguration: { amd64: { emulatedMachines: ['q35*', 'pc-q35*', 'pc', 'pc-i440fx*'] } } })
    await eventually(async () => (await create()).code === 0, condition)
    await untilGuestsRun(machine, ['old-pc'], 240)
    assert.match(await machine.kubectl(['get', 'vmi', 'old-pc', '-o', 'jsonpath={.status.machine.type}']), /^pc-i440fx-/)
    assert.equal(await machine.inGuest('[ -e /sys/firmware/acpi ] && echo on || echo off', 'old-pc'), 'off')
    await machine.kubectl(['delete', 'vm', 'old-pc'])
  })

  test('an invalid value is rejected with its path', async () => {
    for (const [field, configuration] of [
      ['spec.configuration.evictionStrategy', { evictionStrategy: 'Sometimes' }],
      ['spec.configuration.cpuRequest', { cpuRequest: '0' }],
      ['spec.configuration.vmRolloutStrategy', { vmRolloutStrategy: 'Sometimes' }],
      ['spec.configuration.instancetype.referencePolicy', { instancetype: { referencePolicy: 'Sometimes' } }],
    ] as const) {
      const { code, stderr } = await machine.tryKubectl(patch(configuration))
      assert.equal(code, 1, field)
      assert.ok(stderr.includes(field), stderr)
    }
  })

  test('an invalid setting annotation or update method is rejected with its path', async () => {
    const windows = 'steadyvm.io/workload-update-windows'
    for (const [field, body] of [
      [`metadata.annotations[${windows}]`, { metadata: { annotations: { [windows]: 'Foo 99:00-zz' } } }],
      ['spec.workloadUpdateStrategy.batchEvictionSize', { spec: { workloadUpdateStrategy: { batchEvictionSize: -3 } } }],
      ['spec.workloadUpdateStrategy.batchEvictionInterval', { spec: { workloadUpdateStrategy: { batchEvictionInterval: '-1m' } } }],
    ] as const) {
      const change = ['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify(body)]
      const { code, stderr } = await machine.tryKubectl(change)
      assert.equal(code, 1, field)
      assert.ok(stderr.includes(field), stderr)
    }
  })

  test('a field that has no effect is stored with a warning, and not reported as active', async () => {
    const idle = { smbios: { family: 'x' }, developerConfiguration: { featureGates: ['Bogus'] } }
    const { code, stderr } = await machine.tryKubectl(patch(idle))
    assert.equal(code, 0, stderr)
    assert.match(stderr, /spec\.configuration\.smbios is kept, but nothing acts on it/)
    await eventually(async () => /^True all other settings are in force: .*smbios.*"Bogus"/.test(await condition()), condition)
    await configure({ smbios: null, developerConfiguration: null })
    await eventually(async () => (await condition()) === 'True all settings are in force', condition)
  })

  test('an invalid stored configuration is reported, and the last valid one stays active', async () => {
    // The operator would put it back at once.
    const operators = machine.processes().filter(({ role }) => role === 'virt-operator')
    for (const operator of operators) signalProcess(operator, 'SIGSTOP')
    await machine.kubectl(['delete', 'validatingwebhookconfiguration', 'virt-api-validator'])
    await configure({ cpuModel: 'Skylake-Client', evictionStrategy: 'Sometimes' })
    for (const operator of operators) signalProcess(operator, 'SIGCONT')
    await eventually(async () => (await completed()) === 'Skylake-Client External', completed)
    await eventually(async () => /^False spec\.configuration\.evictionStrategy .*"Sometimes"/.test(await condition()), condition)
    const events = await machine.getJson('events', '-n', 'kubevirt', '--field-selector', 'reason=InvalidConfiguration')
    assert.equal(textAt(events, 'items.0.involvedObject.name'), 'kubevirt')
    await configure({ cpuModel: null, evictionStrategy: null })
    await eventually(async () => (await completed()) === 'host-model None', completed)
    await eventually(async () => (await condition()).startsWith('True'), condition)
  })

  test('a restart of the control plane keeps the configuration of the administrator', async () => {
    await configure({ vmRolloutStrategy: 'Stage' })
    const before = await machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt')
    await machine.restartComponents()
    const after = await machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt')
    assert.deepEqual(after['spec'], before['spec'])
    assert.equal(textAt(after, 'metadata.uid'), textAt(before, 'metadata.uid'))
  })
})
