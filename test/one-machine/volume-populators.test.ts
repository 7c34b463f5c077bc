import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openStream } from '../support/guests/guest-streams.ts'
import { bootText, makeBootDisk } from '../support/images/boot-disk.ts'
import { startFileServer, type FileServer } from '../support/images/file-server.ts'
import { requestUploadToken, upload } from '../support/images/upload.ts'
import { noKubectl } from '../support/kubectl.ts'
import { textAt, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'
import { addressForPods, machineModeOnly } from '../support/place.ts'

const apiVersion = 'cdi.kubevirt.io/v1beta1'
const apiGroup = 'cdi.kubevirt.io'
const resources = { requests: { storage: '40Mi' } }

suite('Claims that name their content', { skip: noKubectl }, () => {
  let machine: TestMachine
  let folder: string
  let server: FileServer

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'images-'))
    await makeBootDisk(join(folder, 'boot.qcow2'))
    machine = await useNamespace()
    server = await startFileServer(folder, { address: await addressForPods(machine.kubeconfig) })
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const create = (...items: object[]): Promise<string> =>
    machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const source = (kind: string, spec: object): object => ({ apiVersion, kind, metadata: { name: 'boot' }, spec })
  const claim = (name: string, content: object): object => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources, ...content },
  })
  const tells = (name: string, reason: string): Promise<string> => {
    const selector = `--field-selector=involvedObject.name=${name},reason=${reason}`
    return machine.kubectl(['wait', 'events', '--for=create', selector, '--timeout=30s'])
  }
  const isBound = (name: string): Promise<string> =>
    machine.kubectl(['wait', `pvc/${name}`, '--for=jsonpath={.status.phase}=Bound', '--timeout=60s'])

  test('get an image of a web server, copies of each other, and a guest boots from the last one', async () => {
    await create(
      source('VolumeImportSource', { source: { http: { url: `${server.url}/boot.qcow2` } } }),
      source('VolumeCloneSource', { source: { kind: 'PersistentVolumeClaim', name: 'second' } }),
      claim('third', { dataSourceRef: { apiGroup, kind: 'VolumeCloneSource', name: 'boot' } }),
      claim('second', { dataSource: { kind: 'PersistentVolumeClaim', name: 'first' } }),
      claim('first', { dataSourceRef: { apiGroup, kind: 'VolumeImportSource', name: 'boot' } }),
    )
    for (const name of ['first', 'second', 'third']) await isBound(name)
    await create({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'third' },
      spec: {
        terminationGracePeriodSeconds: 0,
        domain: { memory: { guest: '64Mi' }, devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] } },
        volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'third' } }],
      },
    })
    await machine.kubectl(['wait', 'vmi/third', '--for=condition=Ready', '--timeout=60s'])
    const console = openStream(machine, 'virtualmachineinstances/third/console')
    let text = ''
    await new Promise<void>((resolve, reject) => {
      console.on('error', reject)
      console.on('message', (data: Buffer) => {
        text += data.toString()
        if (text.includes(bootText)) resolve()
      })
    })
    console.terminate()
    await machine.kubectl(['delete', 'vmi', 'third', '--timeout=60s'])
    assert.match(await machine.kubectl(['events', '--for', 'pvc/first']), /ImportSucceeded/)
    for (const kind of ['pods', 'pvc', 'secrets'])
      assert.doesNotMatch(await machine.kubectl(['get', kind, '-o', 'name']), /prime|importer|cdi/, `${kind} are left`)
  })

  test('fill a DataVolume that only names the object', async () => {
    const storage = { resources, dataSourceRef: { apiGroup, kind: 'VolumeImportSource', name: 'boot' } }
    await create({ apiVersion, kind: 'DataVolume', metadata: { name: 'outside' }, spec: { storage } })
    await machine.kubectl(['wait', 'dv/outside', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=60s'])
    assert.equal(textAt(await machine.getJson('dv', 'outside'), 'status.progress'), '100.0%')
  })

  test('take an upload', async () => {
    await create(source('VolumeUploadSource', {}), claim('sent', { dataSourceRef: { apiGroup, kind: 'VolumeUploadSource', name: 'boot' } }))
    const isReady = 'jsonpath={.metadata.annotations.cdi\\.kubevirt\\.io/storage\\.pod\\.ready}=true'
    await machine.kubectl(['wait', 'pvc/sent', `--for=${isReady}`, '--timeout=60s'])
    const token = await requestUploadToken(machine, 'sent')
    assert.match(await upload(machine, token, await readFile(join(folder, 'boot.qcow2'))), /^200 /)
    await isBound('sent')
  })

  test('say what they wait for', async () => {
    await create(claim('early', { dataSourceRef: { apiGroup, kind: 'VolumeImportSource', name: 'later' } }))
    await tells('early', 'NotFound')
    const wrong = source('VolumeImportSource', { source: { http: { url: 'ftp://a/b' } } })
    assert.match((await machine.tryKubectl(['apply', '-f', '-'], JSON.stringify(wrong))).stderr, /Cannot update VolumeImportSource Spec/)
    await create({ ...source('VolumeImportSource', { source: { blank: {} } }), metadata: { name: 'later' } })
    await isBound('early')
  })

  test('say what nothing fills', { skip: machineModeOnly('a driver may know snapshots on a cluster') }, async () => {
    const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'taken' }
    const { stderr } = await machine.tryKubectl(['create', '-f', '-'], JSON.stringify(claim('snapped', { dataSource: snapshot })))
    assert.match(stderr, /Warning:.*stays Pending/)
    await tells('snapped', 'ProvisioningFailed')
  })
})
