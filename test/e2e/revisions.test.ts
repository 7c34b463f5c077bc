import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { startMachine, textAt, type TestMachine } from '../support/machine.ts'

const group = 'instancetype.kubevirt.io'
const condition = '--for=condition=InstancetypeRevisionsUpToDate'

interface Document {
  readonly wanted: { readonly version: string; readonly sharing: string }
  readonly revisions: number
  readonly findings: readonly {
    readonly state: string
    readonly command: string
    readonly referrers: readonly { readonly subject: string }[]
  }[]
  readonly versions: readonly Version[]
}

interface Version {
  readonly version: string
  readonly instancetypes: number
  readonly preferences: number
  readonly shared: number
  readonly safeToRemove: string
  readonly blockers: readonly { readonly reason: string }[]
}

const small = {
  apiVersion: `${group}/v1beta1`,
  kind: 'VirtualMachineInstancetype',
  metadata: { name: 'small' },
  spec: { cpu: { guest: 1 }, memory: { guest: '64Mi' } },
}

suite('steadyvm revisions with running controllers', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
    await apply(small)
    await apply({
      apiVersion: `${group}/v1beta1`,
      kind: 'VirtualMachinePreference',
      metadata: { name: 'plain' },
      spec: { cpu: { preferredCPUTopology: 'cores' } },
    })
    for (const name of ['one', 'two']) {
      const kindOf = (kind: string, type: string): object => ({ kind: `VirtualMachine${kind}`, name: type })
      const spec = {
        runStrategy: 'Halted',
        instancetype: kindOf('Instancetype', 'small'),
        preference: kindOf('Preference', 'plain'),
        template: { spec: { domain: { devices: {} } } },
      }
      await apply({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name }, spec })
      await machine.kubectl(['wait', `vm/${name}`, '--for=jsonpath={.status.preferenceRef.controllerRevisionRef.name}', '--timeout=30s'])
    }
  })
  after(() => machine[Symbol.asyncDispose]())

  const apply = (object: object): Promise<string> => machine.kubectl(['apply', '-f', '-'], JSON.stringify(object))
  const gates = (...featureGates: string[]): Promise<string> => {
    const patch = JSON.stringify({ spec: { configuration: { developerConfiguration: { featureGates } } } })
    return machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', patch])
  }
  const report = async (...args: string[]): Promise<{ code: number; document: Document; of: (version: string) => Version | undefined }> => {
    const { code, stdout, stderr } = await machine.steadyvm('revisions', ...args, '-o', 'json')
    assert.notEqual(stdout, '', stderr)
    const document = JSON.parse(stdout) as Document
    return { code, document, of: (version) => document.versions.find((one) => one.version === version) }
  }
  const upToDate = (): Promise<string> => machine.kubectl(['wait', 'kubevirt/kubevirt', '-n', 'kubevirt', condition, '--timeout=60s'])

  test('a lost revision is reported on the object, and the report has the command that resolves it', async () => {
    await upToDate()
    const vm = await machine.getJson('vm', 'one')
    const name = textAt(vm, 'status.instancetypeRef.controllerRevisionRef.name')
    await machine.kubectl(['delete', 'vminstancetype', 'small'])
    await machine.kubectl(['delete', 'controllerrevision', name])
    await machine.kubectl(['wait', 'kubevirt/kubevirt', '-n', 'kubevirt', `${condition}=False`, '--timeout=60s'])
    const { code, document } = await report()
    assert.deepEqual([code, document.findings.map(({ state, referrers }) => `${state} ${referrers[0]?.subject}`)], [2, ['missing vm/one']])
    await apply(small)
    const [, ...command] = (document.findings[0]?.command ?? '').split(' ')
    assert.equal((await machine.steadyvm(...command)).code, 0)
    await upToDate()
    assert.equal((await report()).code, 0)
  })

  test('kubectl wait succeeds when all revisions have the configured format, in both directions', async () => {
    await gates('InstancetypeV1', 'SharedRevisions')
    await upToDate()
    const shared = await report('--watch', '--timeout', '60')
    assert.deepEqual([shared.code, shared.document.wanted], [0, { version: 'v1', sharing: 'shared' }])
    // The type was made anew, and says the same.
    assert.deepEqual([shared.of('v1')?.instancetypes, shared.of('v1')?.preferences, shared.of('v1')?.shared], [1, 1, 2])
    assert.deepEqual([...new Set(shared.of('v1beta1')?.blockers.map(({ reason }) => reason))], ['StorageVersion'])

    await gates('InstancetypeV1')
    await upToDate()
    const own = await report()
    assert.equal(own.code, 0)
    // Shared revisions are collected when their claims have expired.
    assert.equal((own.of('v1')?.instancetypes ?? 0) + (own.of('v1')?.preferences ?? 0) - (own.of('v1')?.shared ?? 0), 4)
  })
})
