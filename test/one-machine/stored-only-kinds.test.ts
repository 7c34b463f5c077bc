import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'

const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }

/** Objects of KubeVirt's kinds that nothing acts on yet, and what the warning ends with. */
const kinds: readonly (readonly [kind: string, apiVersion: string, resource: string, spec: object, ending: RegExp])[] = [
  ['VirtualMachineBackup', 'backup.kubevirt.io/v1alpha1', 'vmbackup', { source, pvcName: 'target' }, /"steadyvm backup --disks"/],
  ['VirtualMachineBackupTracker', 'backup.kubevirt.io/v1alpha1', 'vmbackuptracker', { source }, /it is stored$/],
]

suite('kinds that nothing acts on yet', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
    // virt-api registers this last: from here on it is asked about everything.
    await machine.kubectl(['wait', '--for=create', 'apiservice/v1alpha3.subresources.kubevirt.io', '--timeout=30s'])
  })
  after(() => machine[Symbol.asyncDispose]())

  for (const [kind, apiVersion, resource, spec, ending] of kinds)
    test(`${kind} is stored with a warning`, async () => {
      const object = JSON.stringify({ apiVersion, kind, metadata: { name: 'web' }, spec })
      await eventually(
        async () => {
          const { stderr } = await machine.tryKubectl(['create', '--dry-run=server', '-f', '-'], object)
          const warning = stderr.split('\n').find((line) => line.includes(`nothing acts on a ${kind} yet: it is stored`))
          return warning !== undefined && ending.test(warning)
        },
        async () => (await machine.tryKubectl(['create', '--dry-run=server', '-f', '-'], object)).stderr,
      )
      await machine.kubectl(['create', '-f', '-'], object)
      assert.match(await machine.kubectl(['get', resource, 'web', '-o', 'name']), /\/web\s*$/)
    })

  test('their rules hold', async () => {
    const backup = { apiVersion: 'backup.kubevirt.io/v1alpha1', kind: 'VirtualMachineBackup', metadata: { name: 'pulled' } }
    const { code, stderr } = await machine.tryKubectl(
      ['create', '-f', '-'],
      JSON.stringify({ ...backup, spec: { source: { ...source, kind: 'Pod' }, mode: 'Pull', pvcName: 'target' } }),
    )
    assert.equal(code, 1)
    assert.match(stderr, /tokenSecretRef is required when mode is Pull/)
    assert.match(stderr, /kind must be VirtualMachine for kubevirt\.io or VirtualMachineBackupTracker/)
    const edit = await machine.tryKubectl(['patch', 'vmbackup', 'web', '--type=merge', '-p', '{"spec":{"pvcName":"other"}}'])
    assert.match(edit.stderr, /spec is immutable after creation/)
  })
})
