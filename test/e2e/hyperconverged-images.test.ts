import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packArchive } from '#importer/archive/archive.fixture.ts'
import { noRegistry, registryLogin, startContainerRegistry, type ContainerRegistry } from '../support/container-registry.ts'
import { installHyperConverged } from '../support/hyperconverged.ts'
import { makeBootDisk } from '../support/images/boot-disk.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { addressForPods, testClusterHome } from '../support/place.ts'

const skip = noKubectl || noRegistry
const images = ['-n', 'kubevirt-os-images']
const hyperconverged = 'hco/kubevirt-hyperconverged'

suite('templates of HyperConverged become images of VMs, without SSP and without CDI', { skip }, () => {
  let machine: TestMachine
  let registry: ContainerRegistry
  let url: string

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'boot-image-'))
    await makeBootDisk(join(folder, 'boot.qcow2'))
    const layer = gzipSync(
      await packArchive([
        { name: 'disk/', type: 'directory' },
        { name: 'disk/disk.qcow2', content: await readFile(join(folder, 'boot.qcow2')) },
      ]),
    )
    await rm(folder, { recursive: true })
    machine = await startMachine({ platform: 'hyperconverged' })
    if (testClusterHome !== undefined) await installHyperConverged(machine)
    registry = await startContainerRegistry(await addressForPods(machine.kubeconfig))
    const environment = ['INSTANCETYPE_KUBEVIRT_IO_DEFAULT_INSTANCETYPE=u1.nano', 'INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE=cirros']
    await registry.push('team/guest', 'latest', { layer, environment, architectures: ['amd64', 'arm64'] })
    url = `docker://${registry.host}/team/guest:latest`
    // The operator makes the namespace for the common images.
    await machine.kubectl(['wait', 'namespace/kubevirt-os-images', '--for=create', '--timeout=120s'])
    await machine.kubectl(
      ['create', ...images, '-f', '-'],
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'login' },
            stringData: { accessKeyId: registryLogin.username, secretKey: registryLogin.password },
          },
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'authority' }, data: { 'ca.pem': registry.authority } },
        ],
      }),
    )
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
  })

  const template = (name: string, architectures: string): object => ({
    metadata: { name: `${name}-cron`, annotations: { 'ssp.kubevirt.io/dict.architectures': architectures } },
    spec: {
      schedule: '0 3 * * *',
      managedDataSource: name,
      importsToKeep: 1,
      template: {
        spec: {
          source: { registry: { url, secretRef: 'login', certConfigMap: 'authority' } },
          storage: { resources: { requests: { storage: '32Mi' } } },
        },
      },
    },
  })
  const edit = (workloadSources: object): Promise<string> =>
    machine.insist(['patch', hyperconverged, '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify({ spec: { workloadSources } })])
  const state = (): Promise<string> => machine.kubectl(['get', 'dataimportcron,datasource,dv,pods', ...images, '-o', 'yaml'])
  const namesOf = async (kind: string): Promise<string[]> =>
    (await machine.kubectl(['get', kind, ...images, '-o', 'name'])).split('\n').flatMap((line) => line.split('/')[1] ?? [])
  const isReady = (dataSource: string): Promise<void> =>
    eventually(async () => {
      const found = await machine.tryKubectl(['get', 'datasource', dataSource, ...images, '-o', 'json'])
      const conditions = found.code === 0 ? (JSON.parse(found.stdout) as KubeJson)['status']?.['conditions'] : undefined
      return ((conditions ?? []) as unknown as { type: string; status: string }[]).some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      )
    }, state)
  /** Claim that a DataSource leads to in the end. */
  const claimOf = async (dataSource: string): Promise<KubeJson> => {
    const found = await machine.getJson('datasource', dataSource, ...images)
    return machine.getJson('pvc', textAt(found, 'status.source.pvc.name') || textAt(found, 'spec.source.pvc.name'), ...images)
  }

  test('a template is imported, and a VM boots from it with the hardware of the image', async () => {
    assert.match(JSON.stringify(await namesOf('dataimportcron')), /fedora-image-cron/)
    assert.equal((await machine.tryKubectl(['get', 'ssp', '-A'])).code, 1)
    await edit({ enableCommonBootImageImport: false, dataImportCronTemplates: [template('guest', 'amd64,arm64')] })
    await isReady('guest')
    assert.deepEqual(await namesOf('dataimportcron'), ['guest-cron'])
    const { code, stderr } = await machine.steadyvm('vm', 'create', 'web', '--image', 'kubevirt-os-images/guest')
    assert.equal(code, 0, stderr)
    assert.match(JSON.stringify((await machine.getJson('vm', 'web'))['status']), /u1\.nano.*cirros/)
    await machine.kubectl(['delete', 'vm', 'web', '--timeout=120s'])
  })

  test('when the default storage class changes, the image moves to the new one by itself', async () => {
    const former = textAt(await claimOf('guest'), 'spec.storageClassName')
    const { metadata: _, ...current } = await machine.getJson('storageclass', former)
    const metadata = { name: 'other', annotations: { 'storageclass.kubevirt.io/is-default-virt-class': 'true' } }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify({ ...current, metadata }))
    // Only an administrator knows the volumes of a provisioner that is in no table.
    const { claimPropertySets } = (await machine.getJson('storageprofile', former))['status'] ?? {}
    await machine.insist(['patch', 'storageprofile', 'other', '--type=merge', '-p', JSON.stringify({ spec: { claimPropertySets } })])
    // The DataSource may have moved on before its claim is read.
    const classOf = async (): Promise<string> => textAt(await claimOf('guest').catch(() => ({})), 'spec.storageClassName')
    await eventually(async () => (await classOf()) === 'other', state)
    await isReady('guest')
    await machine.kubectl(['delete', 'storageclass', 'other'])
    await eventually(async () => (await classOf()) === former, state)
  })

  test('with images of all architectures, each that nodes have gets a DataSource, and the others are named', async () => {
    await edit({
      enableMultiArchBootImageImport: true,
      dataImportCronTemplates: [template('guest', 'amd64,arm64'), template('foreign', 'arm64')],
    })
    await isReady('guest-amd64')
    await eventually(
      async () => textAt(await machine.getJson('datasource', 'guest', ...images), 'spec.source.dataSource.name') === 'guest-amd64',
      state,
    )
    await isReady('guest')
    assert.deepEqual(await namesOf('dataimportcron'), ['guest-cron-amd64'])
    const { status = {} } = await machine.getJson(hyperconverged, '-n', 'kubevirt')
    const [foreign, guest] = status['dataImportCronTemplates'] as unknown as readonly KubeJson[]
    assert.match(JSON.stringify(foreign), /UnsupportedArchitectures/)
    assert.equal(textAt(guest ?? {}, 'status.originalSupportedArchitectures'), 'amd64,arm64')
    const { code, stderr } = await machine.steadyvm('vm', 'create', 'web', '--image', 'kubevirt-os-images/guest')
    assert.equal(code, 0, stderr)
  })
})
