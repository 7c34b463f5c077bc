import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packArchive } from '#importer/archive/archive.fixture.ts'
import { issueTestCertificates } from '#importer/certificates.fixture.ts'
import { type ImportResult, type ImportSource, type ImportTask, workerPaths } from '#importer/index.ts'
import { convertTo, rawDisk, sha256 } from '#importer/worker.fixture.ts'
import { componentImage, thisRelease } from '#machine/release/release.ts'
import { type ContainerRegistry, noRegistry, registryLogin, startContainerRegistry } from '../support/container-registry.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'
import { addressForPods } from '../support/place.ts'

const skip = noKubectl || noRegistry
const disk = rawDisk(8)

suite('a pod of virt-importer', { skip }, () => {
  let machine: TestMachine
  let registry: ContainerRegistry
  let image: Buffer
  before(async () => {
    ;[machine, image] = await Promise.all([useNamespace(), convertTo(disk, 'qcow2', ['-c'])])
    registry = await startContainerRegistry(await addressForPods(machine.kubeconfig))
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
  })

  const create = (object: object): Promise<string> => machine.kubectl(['create', '-f', '-'], JSON.stringify(object))
  const object = (kind: string, name: string, rest: object): object => ({ apiVersion: 'v1', kind, metadata: { name }, ...rest })

  /** Starts a worker for a new claim, as a controller does. */
  async function startWorker(name: string, source: ImportSource, mounts: Readonly<Record<string, object>> = {}): Promise<void> {
    const task: ImportTask = {
      source,
      contentType: 'kubevirt',
      target: '/volume/disk.img',
      volumeBytes: 64 << 20,
      overhead: 0,
      preallocation: false,
    }
    await create(
      object('PersistentVolumeClaim', name, { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } } }),
    )
    const paths: Readonly<Record<string, string>> = { volume: '/volume', ...workerPaths }
    const worker = {
      name: 'importer',
      image: componentImage(thisRelease(), 'virt-importer'),
      env: [
        { name: 'IMPORTER_TASK', value: JSON.stringify(task) },
        ...('serving' in mounts
          ? [
              { name: 'IMPORTER_PORT', value: String(servingPort) },
              { name: 'IMPORTER_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            ]
          : []),
      ],
      volumeMounts: ['volume', ...Object.keys(mounts)].map((each) => ({ name: each, mountPath: paths[each] })),
    }
    const volumes = [
      { name: 'volume', persistentVolumeClaim: { claimName: name } },
      ...Object.entries(mounts).map(([each, volume]) => ({ name: each, ...volume })),
    ]
    const securityContext = { runAsUser: 107, runAsGroup: 107, fsGroup: 107, runAsNonRoot: true }
    const spec = { restartPolicy: 'OnFailure', automountServiceAccountToken: false, securityContext, containers: [worker], volumes }
    await create({ ...object('Pod', name, { spec }), metadata: { name, annotations: { 'steadyvm.io/own-address': 'true' } } })
  }

  /** Waits for the first end of a worker, and returns what it says. */
  async function resultOf(name: string): Promise<ImportResult> {
    let message = ''
    await eventually(
      async () => {
        const pod = await machine.getJson('pod', name)
        const [status] = (pod['status']?.['containerStatuses'] ?? []) as unknown as readonly Status[]
        const ended = status?.state?.terminated ?? status?.lastState?.terminated
        message = ended?.message ?? ''
        return ended !== undefined
      },
      () => machine.kubectl(['describe', 'pod', name]),
    )
    return JSON.parse(message) as ImportResult
  }

  async function diskOf(claim: string): Promise<Buffer> {
    const volume = await machine.getJson('pv', textAt(await machine.getJson('pvc', claim), 'spec.volumeName'))
    return readFile(join(textAt(volume, 'spec.hostPath.path') || textAt(volume, 'spec.local.path'), 'disk.img'))
  }

  test('fills a claim with the disk of an image in a registry, which asks for TLS and a password', async () => {
    const layer = gzipSync(
      await packArchive([
        { name: 'disk/', type: 'directory' },
        { name: 'disk/disk.qcow2', content: image },
      ]),
    )
    const digest = await registry.push('team/disks', 'v1', { layer, environment: ['INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE=alpine'] })
    await create(object('Secret', 'login', { stringData: { accessKeyId: registryLogin.username, secretKey: registryLogin.password } }))
    await create(object('ConfigMap', 'authority', { data: { 'ca.pem': registry.authority } }))
    await startWorker(
      'from-registry',
      { kind: 'registry', url: `docker://${registry.host}/team/disks@${digest}`, insecureSkipVerify: false },
      { credentials: { secret: { secretName: 'login' } }, authorities: { configMap: { name: 'authority' } } },
    )
    const { reason, labels } = await resultOf('from-registry')
    assert.deepEqual([reason, labels], ['Completed', { 'instancetype.kubevirt.io/default-preference': 'alpine' }])
    const filled = await diskOf('from-registry')
    assert.deepEqual([filled.length, sha256(filled.subarray(0, disk.length))], [64 << 20, sha256(disk)])
  })

  test('says why it fails', async () => {
    await startWorker('without-password', { kind: 'registry', url: `docker://${registry.host}/team/disks`, insecureSkipVerify: true })
    const { reason, fatal } = await resultOf('without-password')
    assert.deepEqual([reason, fatal], ['SourceRefused', false])
    await machine.kubectl(['delete', 'pod', 'without-password', '--now'])
  })

  test('takes an upload, and tells of its progress', async () => {
    const { authority, server, client } = await issueTestCertificates()
    const stringData = { 'tls.crt': server.certificate, 'tls.key': server.key, 'ca.crt': authority }
    await create(object('Secret', 'serving', { stringData }))
    await startWorker('upload', { kind: 'upload' }, { serving: { secret: { secretName: 'serving' } } })
    const send = async (method: string, path: string, body: Buffer): Promise<{ readonly status: number; readonly text: string }> => {
      const host = textAt(await machine.getJson('pod', 'upload'), 'status.podIP')
      const tls = { ca: authority, cert: client.certificate, key: client.key, checkServerIdentity: () => undefined }
      return new Promise((resolve, reject) => {
        const question = request({ host, port: servingPort, method, path, agent: false, ...tls }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }))
        })
        question.once('error', reject)
        question.end(body)
      })
    }
    const nothing = Buffer.alloc(0)
    let progress = ''
    await eventually(
      async () => {
        progress = await send('GET', '/progress', nothing).then(({ text }) => text, String)
        return progress.includes('WaitingForUpload')
      },
      () => progress,
    )
    assert.equal((await send('POST', '/v1beta1/upload', image)).status, 200)
    assert.equal((await resultOf('upload')).reason, 'Completed')
    assert.equal(sha256((await diskOf('upload')).subarray(0, disk.length)), sha256(disk))
  })
})

const servingPort = 8443

interface Status {
  readonly state?: { readonly terminated?: { readonly message?: string } }
  readonly lastState?: { readonly terminated?: { readonly message?: string } }
}
