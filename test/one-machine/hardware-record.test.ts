import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, repository, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'
import { longTest } from '../support/effort.ts'

/** Number of migrations of the guest. */
const moves = 2

suite('the hardware record of a guest', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
    const examples = join(repository, 'examples')
    const manifests = readdirSync(examples).map((file) => readFileSync(join(examples, file), 'utf8'))
    await machine.kubectl(
      ['apply', '-f', '-'],
      manifests.join('\n---\n').replaceAll('namespace: default', `namespace: ${machine.namespace}`),
    )
    await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=120s'])
  })
  after(() => machine[Symbol.asyncDispose]())

  const conditionOf = (object: KubeJson): KubeJson | undefined =>
    (object['status']?.['conditions'] as unknown as KubeJson[] | undefined)?.find(
      (condition) => textAt(condition, 'type') === 'steadyvm.io/HardwareChanged',
    )
  /** Returns the fingerprint that the agent of the guest's node has read from QEMU. */
  const observedFingerprint = async (): Promise<string> => {
    let fingerprint = ''
    await eventually(
      async () => {
        const vmi = await machine.getJson('vmi', 'demo')
        const [uid = ''] = Object.keys(vmi['status']?.['activePods'] ?? {})
        const node = textAt(vmi, `status.activePods.${uid}`)
        const file = join(machine.launchRecord(node, uid), 'hardware')
        if (textAt(vmi, 'status.phase') !== 'Running' || !existsSync(file)) return false
        fingerprint = readFileSync(file, 'utf8')
        return true
      },
      () => 'nobody has looked at the hardware of the guest',
      120_000,
    )
    return fingerprint
  }
  const onRecord = (): Promise<KubeJson> => machine.getJson('hardwarerecord', 'demo')

  test('is stored, summarized on the VM, and shown by the command line', async () => {
    const fingerprint = await observedFingerprint()
    const record = await onRecord()
    assert.equal(textAt(record, 'fingerprint'), fingerprint)
    assert.match(textAt(record, 'facts.machine: type'), /^pc-q35-/)
    await eventually(
      async () => textAt(await machine.getJson('vm', 'demo'), 'status.steadyvm.hardware.fingerprint') === fingerprint,
      () => 'the VM does not tell its fingerprint',
    )
    assert.match(
      await machine.kubectl(['get', 'hw']),
      new RegExp(`^NAME +FINGERPRINT +SINCE +REASON +QEMU\\ndemo +${fingerprint} .*FirstStart`),
    )
    const { code, stdout } = await machine.steadyvm('why', 'vm/demo', 'hardware')
    assert.equal(code, 0)
    assert.ok(stdout.includes(fingerprint.slice(0, 12)))
  })

  longTest(`is the same after ${moves} migrations, which write no record`, async () => {
    const before = await onRecord()
    for (let move = 0; move < moves; move++) {
      const migration = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration', spec: { vmiName: 'demo' } }
      const name = await machine.kubectl(
        ['create', '-f', '-', '-o', 'name'],
        JSON.stringify({ ...migration, metadata: { generateName: 'm-' } }),
      )
      await machine.kubectl(['wait', name.trim(), '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s'])
      assert.equal(await observedFingerprint(), textAt(before, 'fingerprint'))
    }
    assert.equal(textAt(await onRecord(), 'metadata.resourceVersion'), textAt(before, 'metadata.resourceVersion'))
  })

  test('is the same after a restart', async () => {
    const before = await onRecord()
    const uid = textAt(await machine.getJson('vmi', 'demo'), 'metadata.uid')
    await machine.kubectl(['delete', 'vmi', 'demo'])
    await eventually(
      async () => !['', uid].includes(textAt(await machine.getJson('vmi', 'demo', '--ignore-not-found').catch(() => ({})), 'metadata.uid')),
      () => 'the guest does not start again',
      120_000,
    )
    assert.equal(await observedFingerprint(), textAt(before, 'fingerprint'))
    assert.equal(textAt(await onRecord(), 'metadata.resourceVersion'), textAt(before, 'metadata.resourceVersion'))
  })

  longTest('does not change before its owner accepts it', async () => {
    const was = textAt(await onRecord(), 'fingerprint')
    await machine.kubectl(['annotate', 'vm', 'demo', 'steadyvm.io/hardware-changes=Refuse'])
    const give = (type: string | null): Promise<string> => {
      const spec = { template: { spec: { domain: { machine: type === null ? null : { type } } } } }
      return machine.kubectl(['patch', 'vm', 'demo', '--type', 'merge', '-p', JSON.stringify({ spec })])
    }
    let message = ''
    const refused = async (): Promise<void> => {
      await give('pc-q35-7.0')
      await machine.kubectl(['delete', 'vmi', 'demo'])
      await eventually(
        async () => {
          const told = conditionOf(await machine.getJson('vm', 'demo'))
          message = told === undefined ? '' : textAt(told, 'message')
          return told !== undefined && textAt(told, 'reason') === 'Refused'
        },
        () => 'the guest is not refused',
        120_000,
      )
    }
    await refused()
    // Reverting the edit starts the guest without a further request.
    await give(null)
    await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=120s'])
    assert.equal(await observedFingerprint(), was)
    await refused()
    assert.match(message, /machine: type: pc-q35-[\d.]+ → pc-q35-7\.0/)
    assert.equal((await machine.steadyvm('why', 'vm/demo', 'hardware')).code, 3)
    const word = /steadyvm\.io\/accept-hardware=\w+/.exec(message)?.[0] ?? ''
    await machine.kubectl(['annotate', 'vm', 'demo', word])
    await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=120s'])
    assert.notEqual(await observedFingerprint(), was)
    const changed = conditionOf(await machine.getJson('vmi', 'demo'))
    assert.ok(changed !== undefined && textAt(changed, 'reason') === 'Specification')
    const { stdout } = await machine.steadyvm('why', 'vm/demo', 'hardware')
    assert.match(stdout, /a change of the VM .*\n( +.*\n)* +machine: type: .* → pc-q35-7\.0/)
  })
})
