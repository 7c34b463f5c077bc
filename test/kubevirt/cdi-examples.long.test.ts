// Takes minutes: it reads the examples of CDI from its source, creates all in a dry run, and runs
// those that need no more than a web server and a registry.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packArchive } from '#importer/archive/archive.fixture.ts'
import { noRegistry, registryLogin, startContainerRegistry, type ContainerRegistry } from '../support/container-registry.ts'
import { makeBootDisk } from '../support/images/boot-disk.ts'
import { startFileServer, type FileServer } from '../support/images/file-server.ts'
import { noKubectl } from '../support/kubectl.ts'
import { startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { readExamples, type Example, type ExampleObject } from './cdi-examples.ts'
import { upstreamSource } from './source.ts'

/** Examples that are refused, and what the answer says. */
const refused: readonly (readonly [place: string, answer: RegExp])[] = [
  // No source of ours.
  ['manifests/example/import-kubevirt-datavolume-gcs.yaml 1', /spec\.source\.gcs: .* by its HTTPS address/],
  ['manifests/example/vddk-args-annotation.yaml 1', /spec\.source\.vddk: .* export the disk/],
  ['manifests/example/vddk-args-field.yaml 1', /spec\.source\.vddk: .* export the disk/],
  ['doc/datavolumes.md 13', /spec\.source\.imageio: .* download the disk/],
  ['doc/datavolumes.md 14', /spec\.source\.vddk: .* export the disk/],
  ['doc/datavolumes.md 15', /spec\.source\.vddk: .* export the disk/],
  ['doc/image-from-registry.md 3', /imageStream: .* name the image by url/],
  ['doc/os-image-poll-and-update.md 3', /imageStream: .* name the image by url/],
  // An empty `storage:` is null, and no API server keeps that.
  ['manifests/example/clone-datavolume.yaml 1', /Missing Data volume PVC/],
  ['doc/datavolumes.md 8', /Missing Data volume PVC/],
  ['doc/datavolumes.md 10', /Missing Data volume PVC/],
  // An ellipsis stands for the rest.
  ['doc/annotations.md 3', /must be of type object: "string"/],
  ['doc/datavolumes.md 16', /must be of type object: "string"/],
  ['doc/preallocation.md 1', /must be of type object: "string"/],
  ['doc/datavolume-claim-adoption.md 1', /spec: Required value/],
  ['doc/os-image-poll-and-update.md 4', /spec\.schedule: Required value/],
  ['doc/storageprofile.md 2', /cannot unmarshal string/],
  ['doc/storageprofile.md 4', /some-unknown-provisioner-class \.\.\./],
  // The claim must be there.
  ['manifests/example/upload-block-datavolume-token.yaml 1', /persistentvolumeclaims "upload-block-datavolume" not found/],
  ['manifests/example/upload-datavolume-token.yaml 1', /persistentvolumeclaims "upload-datavolume" not found/],
  ['doc/upload.md 2', /persistentvolumeclaims "upload-datavolume" not found/],
  // Its size is that of the claim that it is a copy of.
  ['doc/pvc-mutating-webhook-rendering.md 2', /missing storage size/],
]

const source = await upstreamSource('containerized-data-importer')
const skip = noKubectl || noRegistry || ('missing' in source && source.missing)

suite("CDI's examples", { skip, timeout: 1_200_000 }, () => {
  let examples: readonly Example[]
  let machine: TestMachine
  let folder: string
  let server: FileServer
  let registry: ContainerRegistry

  before(async () => {
    assert.ok('folder' in source)
    examples = await readExamples(source.folder)
    folder = await mkdtemp(join(tmpdir(), 'examples-'))
    await makeBootDisk(join(folder, 'boot.qcow2'))
    ;[machine, server, registry] = await Promise.all([startMachine(), startFileServer(folder), startContainerRegistry()])
    await machine.kubectl(['wait', '--for=create', 'apiservice/v1alpha3.subresources.kubevirt.io', '--timeout=120s'])
    const namespaces = new Set(examples.flatMap(({ object }) => object.metadata.namespace ?? []))
    for (const name of namespaces) await machine.tryKubectl(['create', 'namespace', name])
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  test('are accepted, but for those of which it is known why not', async (t) => {
    const answers: string[] = []
    for (const { place, object } of examples) {
      const verb = object.kind === 'CDIConfig' ? 'apply' : 'create'
      const { code, stderr } = await machine.tryKubectl([verb, '--dry-run=server', '-f', '-'], JSON.stringify(object))
      const expected = refused.find(([known]) => known === place)
      const isAsExpected = expected === undefined ? code === 0 : code !== 0 && expected[1].test(stderr)
      if (!isAsExpected) answers.push(`${place} ${object.kind}: ${code === 0 ? 'accepted' : stderr.trim()}`)
    }
    assert.deepEqual(answers, [])
    const places = new Set(examples.map(({ place }) => place))
    assert.deepEqual(
      refused.filter(([place]) => !places.has(place)),
      [],
    )
    t.diagnostic(`${examples.length - refused.length} of ${examples.length} examples are accepted`)
  })

  /** An example of a name, with the namespace that its author's `kubectl` has. */
  function example(place: string): ExampleObject {
    const object = examples.find((one) => one.place === place)?.object ?? assert.fail(place)
    return { ...object, metadata: { namespace: 'default', ...object.metadata } }
  }
  const manifest = (name: string): ExampleObject => example(`manifests/example/${name}.yaml 1`)
  const create = (...items: object[]): Promise<string> =>
    machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const nameOf = ({ kind, metadata: { name = '', namespace = '' } }: ExampleObject): string[] => ['-n', namespace, `${kind}/${name}`]
  const succeeds = (object: ExampleObject): Promise<string> =>
    machine.kubectl(['wait', ...nameOf(object), '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s'])

  /** The example with other addresses: of servers that are here. */
  function reachable(object: ExampleObject): ExampleObject {
    const file = JSON.stringify(object).includes('"contentType":"archive"') ? 'content.tar.gz' : 'boot.qcow2'
    const text = JSON.stringify(object)
      .replaceAll(/"https?:\/\/[^"]*"/g, `"${server.url}/${file}"`)
      .replaceAll(/"url":"docker:\/\/[^"]*"/g, `"url":"docker://${registry.host}/disks/demo:latest","secretRef":"login"`)
      .replaceAll(/,"certConfigMap":"[^"]*"/g, '')
      .replaceAll('"secretRef":"login"', '"secretRef":"login","certConfigMap":"authority"')
    return JSON.parse(text) as ExampleObject
  }

  test('of web servers, blank disks and clones become disks', async () => {
    const archive = await packArchive([{ name: 'a.txt', content: 'content' }])
    await writeFile(join(folder, 'content.tar.gz'), gzipSync(archive))
    const block = reachable(manifest('import-kubevirt-block-datavolume'))
    const first = [manifest('blank-image-datavolume'), reachable(manifest('import-archive-datavolume')), block]
    await create(...first)
    for (const object of first) await succeeds(object)
    const clone = manifest('clone-block-datavolume')
    await create(clone)
    await succeeds(clone)
    await create(manifest('endpoint-secret'))
    for (const name of ['import-kubevirt-datavolume', 'import-kubevirt-datavolume-secret']) {
      const object = reachable(manifest(name))
      await create(object)
      await succeeds(object)
      await machine.kubectl(['delete', ...nameOf(object), '--timeout=60s'])
    }
  })

  test('of clones from another namespace, with a size that is left out', async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'source-ns' } })
    const original = reachable(manifest('import-kubevirt-datavolume'))
    const copied = { ...original, metadata: { namespace: 'source-ns', name: 'source-datavolume' } }
    const clone = manifest('clone-datavolume')
    const sized = { ...clone, spec: { ...(clone['spec'] as object), storage: {} } }
    await create(copied, sized)
    await succeeds(sized)
  })

  test('of archives on devices say why they wait', async () => {
    const object = reachable(manifest('import-archive-block-datavolume'))
    await create(object)
    const isWaiting = 'jsonpath={.status.conditions[?(@.type=="Bound")].message}=ContentType Archive cannot have block volumeMode'
    await machine.kubectl(['wait', ...nameOf(object), `--for=${isWaiting}`, '--timeout=60s'])
  })

  test('of uploads take an image with the token of an example', async () => {
    const config = await machine.getJson('cdiconfig', 'config')
    const [url, ca] = ['status.uploadProxyURL', 'status.uploadProxyCA'].map((field) => textAt(config, field))
    const image = await readFile(join(folder, 'boot.qcow2'))
    for (const name of ['upload-datavolume', 'upload-block-datavolume']) {
      const object = manifest(name)
      await create(object)
      await machine.kubectl(['wait', ...nameOf(object), '--for=jsonpath={.status.phase}=UploadReady', '--timeout=120s'])
      const asked = JSON.stringify(manifest(`${name}-token`))
      const token = await machine.kubectl(['create', '-f', '-', '-o', 'jsonpath={.status.token}'], asked)
      const code = await new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'content-length': image.length }
        const sent = request(`${url}/v1beta1/upload`, { method: 'POST', ca, headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        sent.on('error', reject)
        sent.end(image)
      })
      assert.equal(code, 200)
      await succeeds(object)
    }
  })

  /** What the examples of registries need to reach that of the test. */
  async function prepareRegistry(namespace: string): Promise<void> {
    const stringData = { accessKeyId: registryLogin.username, secretKey: registryLogin.password }
    await create(
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'login' }, stringData },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'authority' }, data: { 'ca.pem': registry.authority } },
    )
    const content = await readFile(join(folder, 'boot.qcow2'))
    const layer = await packArchive([
      { name: 'disk/', type: 'directory' },
      { name: 'disk/disk.qcow2', content },
    ])
    await registry.push('disks/demo', 'latest', { layer: gzipSync(layer), environment: [] })
  }

  test('of registries become disks', async () => {
    await prepareRegistry('default')
    for (const name of ['registry-image-datavolume', 'registry-image-block-datavolume']) {
      const object = reachable(manifest(name))
      await create(object)
      await succeeds(object)
      await machine.kubectl(['delete', ...nameOf(object), '--timeout=60s'])
    }
  })

  test('of DataImportCrons keep a DataSource, of which an example is a copy', async () => {
    await machine.tryKubectl(['create', 'namespace', 'golden-images'])
    await prepareRegistry('golden-images')
    const storageClass = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'steadyvm.io/local' }
    await create({ ...storageClass, metadata: { name: 'hostpath-provisioner' } })
    await create(reachable(example('doc/os-image-poll-and-update.md 1')))
    await machine.kubectl(['wait', '-n', 'golden-images', 'datasource/fedora', '--for=create', '--timeout=60s'])
    await machine.kubectl(['wait', '-n', 'golden-images', 'datasource/fedora', '--for=condition=Ready', '--timeout=120s'])
    const copy = example('doc/os-image-poll-and-update.md 2')
    await create(copy)
    await succeeds(copy)
  })

  test('of a VM makes its disk', async () => {
    const storageClass = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'steadyvm.io/local' }
    await create({ ...storageClass, metadata: { name: 'hdd' } })
    await create(reachable(manifest('vm-dv')))
    await machine.kubectl(['wait', 'dv/cirros-dv', '--for=create', '--timeout=60s'])
    await machine.kubectl(['wait', 'dv/cirros-dv', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s'])
  })

  test('of populators fill a claim', async () => {
    await create(reachable(example('doc/cdi-populators.md 1')), example('doc/cdi-populators.md 2'))
    await machine.kubectl(['wait', 'pvc/my-pvc', '--for=jsonpath={.status.phase}=Bound', '--timeout=120s'])
  })
})
