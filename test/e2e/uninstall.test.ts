import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { testClusterHome } from '../support/place.ts'

const system = ['-n', 'kubevirt']
const strategy = (uninstallStrategy: string): string[] => [
  'patch',
  'kubevirt',
  'kubevirt',
  ...system,
  '--type=merge',
  '-p',
  JSON.stringify({ spec: { uninstallStrategy } }),
]

suite('deletion of the KubeVirt object', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  const isInstalled = async (): Promise<boolean> =>
    textAt(await machine.getJson('kubevirt', 'kubevirt', ...system), 'status.phase') === 'Deployed'
  const state = (): Promise<string> => machine.kubectl(['get', 'kubevirt,pods', ...system, '-o', 'wide'])

  test('is refused while guests exist', async () => {
    await eventually(isInstalled, state)
    await machine.kubectl(['apply', '-f', '-'], powerButtonVirtualMachine(machine, 'web'))
    await eventually(
      async () => textAt(await machine.getJson('virtualmachine', 'web'), 'status.printableStatus') === 'Running',
      () => machine.kubectl(['get', 'vm,vmi,pods', '-o', 'wide']),
    )
    await machine.kubectl(strategy('BlockUninstallIfWorkloadsExist'))
    await assert.rejects(
      machine.kubectl(['delete', 'kubevirt', 'kubevirt', ...system]),
      /there are still Virtual Machine Instances present/,
    )
  })

  test('is not left to an operator that ends with its namespace', { skip: testClusterHome !== undefined }, async () => {
    await assert.rejects(machine.kubectl(['delete', 'namespace', 'kubevirt']), /holds the components of this machine/)
  })

  test('removes the whole system', async () => {
    await machine.kubectl(strategy('RemoveWorkloads'))
    await machine.kubectl(['delete', 'kubevirt', 'kubevirt', ...system, '--timeout=120s'])
    const kinds = (await machine.kubectl(['get', 'crd', '-o', 'name'])).trim().split('\n')
    // Machine mode brings it, as Multus does to a cluster.
    const ofTheMachine = testClusterHome === undefined ? ['network-attachment-definitions.k8s.cni.cncf.io'] : []
    // Volumes outlive the system, and with them what describes their content.
    const ofVolumes = /\.(cdi\.kubevirt\.io|snapshot\.storage\.k8s\.io)$/
    assert.deepEqual(
      kinds
        .map((name) => name.split('/')[1] ?? '')
        .filter((name) => !ofVolumes.test(name))
        .toSorted((a, b) => a.localeCompare(b)),
      ['kubevirts.kubevirt.io', ...ofTheMachine],
    )
    if (testClusterHome === undefined) {
      const { stdout, code } = await machine.steadyvm('status')
      assert.equal(code, 2)
      assert.match(stdout, /ready, KUBECONFIG[^]*KubeVirt is not installed/)
    }
    const managed = 'deployments,daemonsets,services,secrets,configmaps,poddisruptionbudgets'
    assert.equal(await machine.kubectl(['get', managed, ...system, '-l', 'app.kubernetes.io/managed-by=virt-operator', '-o', 'name']), '')
    assert.equal(
      await machine.kubectl([
        'get',
        'validatingwebhookconfigurations,mutatingwebhookconfigurations',
        '-l',
        'kubevirt.io=virt-api',
        '-o',
        'name',
      ]),
      '',
    )
    assert.equal(await machine.kubectl(['get', 'pods', '-A', '-l', 'kubevirt.io=virt-launcher', '-o', 'name']), '')
    assert.doesNotMatch(
      await machine.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.labels}{.items[*].metadata.annotations}']),
      /kubevirt\.io\/(schedulable|heartbeat)/,
    )
  })

  test('allows a new installation', async () => {
    await machine.kubectl(
      ['create', '-f', '-'],
      JSON.stringify({ apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: {} }),
    )
    await eventually(isInstalled, state)
    await machine.kubectl(['apply', '-f', '-'], powerButtonVirtualMachine(machine, 'web'))
    await eventually(
      async () => textAt(await machine.getJson('virtualmachine', 'web'), 'status.printableStatus') === 'Running',
      () => machine.kubectl(['get', 'vm,vmi,pods', '-o', 'wide']),
    )
  })
})
