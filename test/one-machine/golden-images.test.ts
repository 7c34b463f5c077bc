import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packArchive } from '#importer/archive/archive.fixture.ts'
import { noRegistry, registryLogin, startContainerRegistry, type ContainerRegistry } from '../support/container-registry.ts'
import { makeBootDisk } from '../support/images/boot-disk.ts'
import { noKubectl } from '../support/kubectl.ts'
import { textAt, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'
import { addressForPods } from '../support/place.ts'

const skip = noKubectl || noRegistry
const cron = 'dataimportcron/fedora-cron'
const nextCronTime = 'cdi.kubevirt.io/storage.import.nextCronTime'

suite('Golden images', { skip }, () => {
  let machine: TestMachine
  let registry: ContainerRegistry
  let folder: string
  let bootable: Buffer

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'golden-'))
    await makeBootDisk(join(folder, 'boot.qcow2'))
    bootable = await readFile(join(folder, 'boot.qcow2'))
    machine = await useNamespace()
    registry = await startContainerRegistry(await addressForPods(machine.kubeconfig))
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  /** Moves the tag to a new image. Returns the name of its import, and its digest. */
  async function push(version: string, disk: Buffer = bootable): Promise<{ readonly name: string; readonly digest: string }> {
    const archive = await packArchive([
      { name: 'disk/', type: 'directory' },
      { name: 'disk/disk.qcow2', content: disk },
      { name: 'version', content: version },
    ])
    const environment = ['INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE=cirros']
    const digest = await registry.push('team/fedora', 'latest', { layer: gzipSync(archive), environment })
    return { name: `fedora-${digest.slice('sha256:'.length).slice(0, 12)}`, digest }
  }

  const look = (): Promise<string> => machine.kubectl(['annotate', cron, `${nextCronTime}-`])
  const reaches = (type: string, reason: string): Promise<string> =>
    machine.kubectl(['wait', cron, `--for=jsonpath={.status.conditions[?(@.type=="${type}")].reason}=${reason}`, '--timeout=40s'])
  const names = (image: string): Promise<string> =>
    machine.kubectl(['wait', 'datasource/fedora', `--for=jsonpath={.spec.source.pvc.name}=${image}`, '--timeout=40s'])
  const annotate = (...notes: readonly string[]): Promise<string> => machine.kubectl(['annotate', '--overwrite', cron, ...notes])

  function create(...items: readonly object[]): Promise<string> {
    return machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  }

  test('the image of a tag is booted before the DataSource names it, and the next one when the tag moves', async () => {
    const first = await push('1')
    await create(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login' },
        stringData: { accessKeyId: registryLogin.username, secretKey: registryLogin.password },
      },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'authority' }, data: { 'ca.pem': registry.authority } },
      {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataImportCron',
        metadata: { name: 'fedora-cron', annotations: { 'steadyvm.io/verify-boot': 'Running', 'steadyvm.io/verify-boot-memory': '256Mi' } },
        spec: {
          schedule: '0 3 * * *',
          managedDataSource: 'fedora',
          retentionPolicy: 'None',
          importsToKeep: 2,
          template: {
            spec: {
              source: { registry: { url: `docker://${registry.host}/team/fedora:latest`, secretRef: 'login', certConfigMap: 'authority' } },
              storage: { resources: { requests: { storage: '32Mi' } } },
            },
          },
        },
      },
    )
    await reaches('steadyvm.io/Verified', 'Booted')
    await names(first.name)
    await reaches('UpToDate', 'UpToDate')
    await machine.kubectl(['wait', 'datasource/fedora', '--for=condition=Ready', '--timeout=30s'])
    const dataSource = await machine.getJson('datasource', 'fedora')
    assert.equal(dataSource['metadata']?.['labels']?.['instancetype.kubevirt.io/default-preference'], 'cirros')
    const imported = await machine.getJson('dv', first.name)
    assert.equal(textAt(imported, 'spec.source.registry.url'), `docker://${registry.host}/team/fedora@${first.digest}`)
    await machine.kubectl(['wait', 'vm', '--all', '--for=delete', '--timeout=30s'])

    const second = await push('2')
    await look()
    await names(second.name)
    await machine.kubectl(['get', 'pvc', first.name])
  })

  test('an image that cannot be used is not named, and an earlier one can be pinned', async () => {
    const before = textAt(await machine.getJson('datasource', 'fedora'), 'spec.source.pvc.name')
    await push('3', bootable.subarray(0, 50))
    await look()
    await reaches('UpToDate', 'ImportFailed')
    // The boot sector has no agent.
    await annotate('steadyvm.io/verify-boot=AgentConnected', 'steadyvm.io/verify-boot-timeout=3s')
    const last = await push('4')
    await look()
    await reaches('UpToDate', 'BootFailed')
    assert.equal(textAt(await machine.getJson('datasource', 'fedora'), 'spec.source.pvc.name'), before)
    await annotate(`steadyvm.io/pin-import=${last.digest}`)
    await names(last.name)
    await annotate(`steadyvm.io/pin-import=${before}`)
    await names(before)
    await reaches('UpToDate', 'Pinned')
  })

  test('all of it goes with the DataImportCron that keeps nothing', async () => {
    await machine.kubectl(['delete', cron, '--timeout=30s'])
    await machine.kubectl(['wait', 'datasource,dv,pvc', '--all', '--for=delete', '--timeout=40s'])
  })

  test('what cannot work is refused with the field, and a spec never changes', async () => {
    const template = { spec: { source: { registry: { url: 'docker://a/b' } }, storage: { resources: { requests: { storage: '1Gi' } } } } }
    const refused = async (spec: object): Promise<string> => {
      const object = {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataImportCron',
        metadata: { name: 'no' },
        spec: { schedule: '', template, ...spec },
      }
      return (await machine.tryKubectl(['create', '-f', '-'], JSON.stringify(object))).stderr
    }
    const misplaced = { template: { spec: { ...template.spec, managedDataSource: 'fedora' } } }
    assert.match(await refused(misplaced), /move spec\.template\.spec\.managedDataSource to spec\.managedDataSource/)
    assert.match(await refused({ managedDataSource: 'fedora', schedule: 'now' }), /Illegal cron schedule/)
  })
})
