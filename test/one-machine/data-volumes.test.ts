import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openStream } from '../support/guests/guest-streams.ts'
import { bootText, makeBootDisk } from '../support/images/boot-disk.ts'
import { startFileServer, type FileServer } from '../support/images/file-server.ts'
import { requestUploadToken, upload } from '../support/images/upload.ts'
import { noKubectl } from '../support/kubectl.ts'
import { textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'
import { addressForPods } from '../support/place.ts'

const apiVersion = 'cdi.kubevirt.io/v1beta1'
const storage = { resources: { requests: { storage: '32Mi' } } }

suite('DataVolumes', { skip: noKubectl }, () => {
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
  const dataVolume = (name: string, spec: object): object => ({ apiVersion, kind: 'DataVolume', metadata: { name }, spec })
  /** Returns a VM whose disk is made of a source. */
  const virtualMachine = (name: string, disk: object): object => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: {
      runStrategy: 'Always',
      dataVolumeTemplates: [{ metadata: { name: `${name}-root` }, spec: disk }],
      template: {
        spec: {
          terminationGracePeriodSeconds: 0,
          domain: { memory: { guest: '64Mi' }, devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] } },
          volumes: [{ name: 'root', dataVolume: { name: `${name}-root` } }],
        },
      },
    },
  })
  const boots = async (name: string): Promise<void> => {
    const console = openStream(machine, `virtualmachineinstances/${name}/console`)
    let text = ''
    await new Promise<void>((resolve, reject) => {
      console.on('error', reject)
      console.on('message', (data: Buffer) => {
        text += data.toString()
        if (text.includes(bootText)) resolve()
      })
    })
    console.terminate()
  }
  const reaches = (name: string, phase: string): Promise<string> =>
    machine.kubectl(['wait', `dv/${name}`, `--for=jsonpath={.status.phase}=${phase}`, '--timeout=60s'])
  const url = (): string => `${server.url}/boot.qcow2`

  test('an image of a web server becomes a disk', async () => {
    await create(dataVolume('golden', { source: { http: { url: url() } }, storage }))
    await reaches('golden', 'Succeeded')
    const [header = '', row = ''] = (await machine.kubectl(['get', 'dv', 'golden'])).trim().split('\n')
    assert.deepEqual(header.trim().split(/\s+/), ['NAME', 'PHASE', 'PROGRESS', 'RESTARTS', 'AGE'])
    assert.match(row, /^golden\s+Succeeded\s+100\.0%\s+0\s/)
    assert.match(await machine.kubectl(['events', '--for', 'dv/golden']), /ImportSucceeded/)
    await machine.kubectl(['wait', 'pods', '--all', '--for=delete', '--timeout=30s'])
  })

  test('a VM boots from the copy of a disk that a DataSource names', async () => {
    const source = { pvc: { namespace: machine.namespace, name: 'golden' } }
    await create(
      { apiVersion, kind: 'DataSource', metadata: { name: 'latest' }, spec: { source } },
      virtualMachine('web', { sourceRef: { kind: 'DataSource', name: 'latest' }, storage: {} }),
    )
    await machine.kubectl(['wait', 'vm/web', '--for=condition=Ready', '--timeout=60s'])
    await boots('web')
    const { status } = (await machine.getJson('vm', 'web')) as { status?: { volumeSnapshotStatuses?: object[] } }
    assert.deepEqual(status?.volumeSnapshotStatuses, [{ name: 'root', enabled: true }])
    const made = await machine.getJson('dv', 'web-root')
    assert.equal(textAt(made, 'spec.source.pvc.name'), 'golden')
    await machine.kubectl(['delete', 'vm', 'web', '--timeout=60s'])
    await machine.kubectl(['wait', 'pvc/web-root', '--for=delete', '--timeout=30s'])
  })

  test('where volumes wait for their first pod, a disk is filled when its VM starts, and a copy at once when it is asked for', async () => {
    const { items } = (await machine.getJson('storageclass')) as unknown as { readonly items: readonly KubeJson[] }
    const common = items.find((each) => JSON.stringify(each).includes('"storageclass.kubernetes.io/is-default-class":"true"'))
    const storageClassName = `late-${machine.namespace}`
    await create({ ...common, metadata: { name: storageClassName }, volumeBindingMode: 'WaitForFirstConsumer' })
    const late = { ...storage, storageClassName, accessModes: ['ReadWriteOnce'] }
    await create(dataVolume('idle', { source: { http: { url: url() } }, storage: late }))
    await create(virtualMachine('early', { source: { http: { url: url() } }, storage: late }))
    await machine.kubectl(['wait', 'vm/early', '--for=condition=Ready', '--timeout=60s'])
    await boots('early')
    await machine.kubectl(['delete', 'vm', 'early', '--cascade=orphan'])
    await machine.kubectl(['delete', 'vmi', 'early', '--timeout=60s'])
    await reaches('early-root', 'Succeeded')
    await reaches('idle', 'WaitForFirstConsumer')
    const copy = dataVolume('kept', { source: { pvc: { namespace: machine.namespace, name: 'early-root' } }, storage: late })
    const annotations = { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' }
    await create({ ...copy, metadata: { name: 'kept', annotations } })
    await reaches('kept', 'Succeeded')
    await machine.kubectl(['delete', 'dv', 'idle', 'kept', 'early-root', '--timeout=60s'])
    await machine.kubectl(['delete', 'storageclass', storageClassName])
  })

  test('a disk is copied to another namespace, and nothing is left there', async () => {
    await using other = await machine.createNamespace(`${machine.namespace}-copies`)
    const sourceRef = { kind: 'DataSource', name: 'latest', namespace: machine.namespace }
    await other.kubectl(['create', '-f', '-'], JSON.stringify(dataVolume('copy', { sourceRef, storage: {} })))
    await other.kubectl(['wait', 'dv/copy', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=60s'])
    assert.match(await other.kubectl(['events', '--for', 'dv/copy']), /CloneSucceeded/)
    await machine.kubectl(['wait', 'pods', '-l', 'steadyvm.io/serves-worker', '--for=delete', '--timeout=30s'])
  })

  test('a wrong checksum fails the import, which says what it wanted and what it got', async () => {
    const wanted = '0'.repeat(64)
    await create(dataVolume('wrong', { source: { http: { url: url(), checksum: `sha256:${wanted}` } }, storage }))
    await reaches('wrong', 'Failed')
    const got = createHash('sha256')
      .update(await readFile(join(folder, 'boot.qcow2')))
      .digest('hex')
    const conditions = JSON.stringify((await machine.getJson('dv', 'wrong'))['status'])
    assert.ok(conditions.includes(wanted) && conditions.includes(got), conditions)
  })

  test('an image is uploaded once, with a token', async () => {
    await create(dataVolume('sent', { source: { upload: {} }, storage }))
    await reaches('sent', 'UploadReady')
    const token = await requestUploadToken(machine, 'sent')
    const image = await readFile(join(folder, 'boot.qcow2'))
    assert.match(await upload(machine, 'other', image), /^401 /)
    assert.match(await upload(machine, token, image), /^200 /)
    await reaches('sent', 'Succeeded')
    assert.match(await upload(machine, token, image), /^503 .*already finished/)
  })

  test('what cannot work is refused with the field, and a spec never changes', async () => {
    const refused = async (spec: object): Promise<string> =>
      (await machine.tryKubectl(['create', '-f', '-'], JSON.stringify(dataVolume('no', spec)))).stderr
    assert.match(await refused({ source: { vddk: { uuid: 'a' } }, storage }), /spec\.source\.vddk/)
    assert.match(await refused({ source: { http: { url: 'ftp://a/b' } }, storage }), /Invalid source URL scheme/)
    const patch = JSON.stringify({ spec: { source: { http: { url: 'http://other' } } } })
    const changed = await machine.tryKubectl(['patch', 'dv', 'golden', '--type=merge', '-p', patch])
    assert.match(changed.stderr, /Cannot update DataVolume Spec/)
  })
})
