import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { demoVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { startLoad, type SteadyLoad } from '../support/load/steady-load.ts'
import { repeats } from '../support/effort.ts'

/** Requests per second, and rotations of all certificates. */
const perSecond = 50
const rotations = repeats({ default: 1, long: 2 })

suite('certificate rotation under load', { skip: machineModeOnly('renews the certificates of the machine') }, () => {
  let machine: TestMachine
  let load: SteadyLoad
  before(async () => {
    machine = await startMachine()
    const body = JSON.stringify({ spec: { configuration: { developerConfiguration: { featureGates: ['InstancetypeV1'] } } } })
    await machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', body])
    await eventually(
      async () => (await machine.kubectl(['api-versions'])).includes('instancetype.kubevirt.io/v1\n'),
      () => 'v1 is not served',
    )
    const mine = join(machine.home, 'copied-kubeconfig')
    await copyFile(join(machine.home, 'kubeconfig'), mine)
    const { metadata, ...vm } = JSON.parse(demoVirtualMachine('probe')) as { metadata: object }
    const types = await machine.getJson('virtualmachineclusterinstancetypes')
    const type = textAt(types['items']?.['0'] ?? types, 'metadata.name')
    load = startLoad(mine, perSecond, [
      // Asks the webhooks.
      { method: 'POST', path: '/apis/kubevirt.io/v1/namespaces/default/virtualmachines?dryRun=All', body: { ...vm, metadata } },
      // Is answered by virt-api, behind the API server.
      { method: 'PUT', path: '/apis/subresources.kubevirt.io/v1/namespaces/default/expand-vm-spec', body: { ...vm, metadata } },
      { method: 'GET', path: '/apis/subresources.kubevirt.io/v1' },
      // Is converted by virt-api.
      { method: 'GET', path: `/apis/instancetype.kubevirt.io/v1/virtualmachineclusterinstancetypes/${type}` },
      { method: 'GET', path: '/api/v1/namespaces/kubevirt/pods' },
    ])
  })
  after(async () => {
    await load.stop()
    await machine[Symbol.asyncDispose]()
  })

  const bundle = async (): Promise<string> => textAt(await machine.getJson('configmap', 'kubevirt-ca', '-n', 'kubevirt'), 'data.ca-bundle')
  const count = (pems: string): number => pems.split('BEGIN CERTIFICATE').length - 1
  const serving = async (): Promise<X509Certificate> => {
    const path = String.raw`jsonpath={.data.tls\.crt}`
    return new X509Certificate(
      Buffer.from(await machine.kubectl(['get', 'secret', 'kubevirt-virt-api-certs', '-n', 'kubevirt', '-o', path]), 'base64'),
    )
  }
  /** Returns the CA bundles of virt-api in webhooks and APIServices. */
  const believed = async (): Promise<readonly string[]> => {
    const [hooks, api] = await Promise.all([
      machine.getJson('validatingwebhookconfiguration', 'virt-api-validator'),
      machine.getJson('apiservice', 'v1.subresources.kubevirt.io'),
    ])
    const conversion = await machine.getJson('crd', 'virtualmachineclusterinstancetypes.instancetype.kubevirt.io')
    return [
      textAt(hooks, 'webhooks.0.clientConfig.caBundle'),
      textAt(api, 'spec.caBundle'),
      textAt(conversion, 'spec.conversion.webhook.clientConfig.caBundle'),
    ].map((encoded) => Buffer.from(encoded, 'base64').toString())
  }
  const log = async (): Promise<string> => machine.kubectl(['logs', '-n', 'kubevirt', '-l', 'kubevirt.io=virt-api', '--tail=-1'])
  const taken = async (): Promise<number> => (await log()).split('A new certificate is in use').length - 1

  test('the CA and the server certificate, one after the other', async () => {
    const processes = machine.processes().map(({ pid }) => pid)
    for (let round = 1; round <= rotations; round += 1) {
      const [before, shown] = [await bundle(), await serving()]
      const body = { spec: { certificateRotateStrategy: { selfSigned: { ca: { duration: `${200 + round}h` } } } } }
      await machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify(body)])
      await eventually(async () => (await taken()) === round, log)
      const now = await bundle()
      assert.equal(count(now), count(before) + 1, 'the old authorities are believed, too')
      assert.ok(now.endsWith(before))
      assert.deepEqual(new Set(await believed()), new Set([now]))
      assert.ok(!(await serving()).checkIssued(new X509Certificate(before)) && (await serving()).fingerprint !== shown.fingerprint)
    }
    const sofar = load.answered
    await eventually(
      () => load.answered > sofar + perSecond,
      () => 'nobody answers any more',
    )
    assert.deepEqual(load.failures, [])
    assert.deepEqual(
      machine.processes().map(({ pid }) => pid),
      processes,
      'nobody was restarted',
    )
  })

  test('all certificates of the machine: API server, proxy, components, nodes; an old kubeconfig keeps working', async () => {
    const processes = machine.processes().map(({ pid }) => pid)
    const pki = join(machine.home, 'pki')
    const authorities = ['ca', 'requestheader-ca', 'migration-ca']
    const all = (): Promise<string[]> => Promise.all(authorities.map((name) => readFile(join(pki, `${name}.crt`), 'utf8')))
    const before = await all()
    const { code, stderr } = await machine.steadyvm('up', '--renew-certificates')
    assert.equal(code, 0, stderr)
    const isSigned = async (name: string, authority: string): Promise<boolean> => {
      const [leaf, own] = await Promise.all([readFile(join(pki, name)), readFile(join(pki, `${authority}.crt`))])
      return new X509Certificate(leaf).verify(new X509Certificate(own).publicKey)
    }
    const leaves = [
      ['apiserver.pem', 'ca'],
      ['admin.pem', 'ca'],
      ['kubelet-node-1.pem', 'ca'],
      ['virt-handler-node-1.pem', 'ca'],
      ['front-proxy-client.pem', 'requestheader-ca'],
      ['migration-node-1/server-cert.pem', 'migration-ca'],
    ] as const
    const isDone = async (): Promise<boolean> => {
      const now = await all()
      if (!now.every((each, index) => each !== before[index] && each.endsWith(before[index] ?? ''))) return false
      return (await Promise.all(leaves.map(([name, authority]) => isSigned(name, authority)))).every(Boolean)
    }
    await eventually(isDone, async () => `not all are replaced: ${(await all()).map(count).join()}`)
    const sofar = load.answered
    await eventually(
      () => load.answered > sofar + 3 * perSecond,
      () => 'nobody answers any more',
    )
    assert.deepEqual(load.failures, [])
    assert.deepEqual(
      machine.processes().map(({ pid }) => pid),
      processes,
      'nobody was restarted',
    )
    const [ca = ''] = await all()
    const told = await machine.getJson('configmap', 'kube-root-ca.crt', '-n', 'default')
    assert.equal(told['data']?.['ca.crt'], ca, 'pods are told, too')
    assert.equal((await machine.tryKubectl(['get', 'nodes', '--kubeconfig', join(machine.home, 'copied-kubeconfig')])).code, 0)
  })

  test('invalid durations are refused with their path', async () => {
    const selfSigned = { ca: { duration: '10h' }, server: { duration: '20h' } }
    const body = JSON.stringify({ spec: { certificateRotateStrategy: { selfSigned } } })
    const { code, stderr } = await machine.tryKubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', body])
    assert.equal(code, 1)
    assert.ok(stderr.includes('spec.certificateRotateStrategy.selfSigned.server.duration'), stderr)
  })
})
