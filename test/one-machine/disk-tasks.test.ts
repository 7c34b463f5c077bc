import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { makeInstallationDisc, readEfiImage } from '#features/tasks/on-disks/modify-windows-iso-file/installation-disc.fixture.ts'
import { noRegistry, registryLogin, startContainerRegistry, type ContainerRegistry } from '../support/container-registry.ts'
import { startFileServer, type FileServer } from '../support/images/file-server.ts'
import { findOnPath, noKubectl } from '../support/kubectl.ts'
import type { TestMachine } from '../support/machine.ts'
import { diskVirtualMachine } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'
import { addressForPods } from '../support/place.ts'

const noDisc = findOnPath('genisoimage') === undefined && 'there is no genisoimage: run "node tools/setup.mjs --test"'
const skip = noKubectl || noRegistry || noDisc
const boot = 'efi/microsoft/boot'

suite('tasks on disks, as pods', { skip }, () => {
  let machine: TestMachine
  let folder: string
  let server: FileServer
  let registry: ContainerRegistry

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'disk-tasks-'))
    machine = await useNamespace()
    const address = await addressForPods(machine.kubeconfig)
    server = await startFileServer(folder, { address })
    registry = await startContainerRegistry(address)
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const create = (...items: object[]): Promise<string> =>
    machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const storage = { resources: { requests: { storage: '24Mi' } } }

  async function run(task: string, parameters: Readonly<Record<string, string>>): ReturnType<TestMachine['steadyvm']> {
    const flags = Object.entries(parameters).flatMap(([name, value]) => ['-p', `${name}=${value}`])
    return machine.steadyvm('task', 'run', task, '-n', machine.namespace, ...flags)
  }

  async function importDisc(name: string): Promise<string> {
    const { path } = await makeInstallationDisc(await mkdtemp(join(folder, 'disc-')))
    await symlink(path, join(folder, 'windows.iso'))
    const source = { http: { url: `${server.url}/windows.iso` } }
    // There is no guest for which volumes of the class would wait.
    const metadata = { name, annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' } }
    await create({ apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', metadata, spec: { source, storage } })
    await machine.kubectl(['wait', `dv/${name}`, '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s'])
    return path
  }

  test('modify-windows-iso-file changes the disc in a claim', async () => {
    const path = await importDisc('windows')
    const done = await run('modify-windows-iso-file', { pvcName: 'windows' })
    assert.equal(done.code, 0, done.stdout + done.stderr)
    assert.match(done.stdout + done.stderr, /boots without waiting for a key/)
    const image = await readFile(path)
    const silent = await readEfiImage(path, 40_960)
    const catalog = image.readUInt32LE(17 * 2048 + 71) * 2048
    const vm = JSON.parse(diskVirtualMachine('reader', { persistentVolumeClaim: { claimName: 'windows' } })) as object
    await create({ ...vm, metadata: { name: 'reader' } })
    const inGuest = (command: string): Promise<string> => machine.inGuest(command, 'reader')
    const [start = ''] = (await inGuest(`dd if=/dev/vda bs=1 skip=${catalog + 104} count=4 2>/dev/null | od -An -tu4`)).trim().split(/\s+/)
    const sum = (await inGuest(`dd if=/dev/vda bs=2048 skip=${start} count=20 2>/dev/null | sha256sum`)).split(/\s/)[0]
    const expected = await readFile(join(path, '..', 'files', boot, 'efisys_noprompt.bin'))
    assert.equal(sum, createHash('sha256').update(expected).digest('hex'))
    assert.ok(!silent.equals(expected), 'the disc did not ask before')
    await machine.kubectl(['delete', 'vm', 'reader'])
  })

  test('disk-uploader pushes it, with the login and the authority of a Secret', async () => {
    await machine.kubectl(['apply', '-f', join(import.meta.dirname, '../../manifests/tekton/rbac/disk-uploader.yaml')])
    const login = { accessKeyId: registryLogin.username, secretKey: registryLogin.password, 'ca.crt': registry.authority }
    await create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: login })
    const upload = {
      EXPORT_SOURCE_KIND: 'pvc',
      EXPORT_SOURCE_NAME: 'windows',
      VOLUME_NAME: 'windows',
      IMAGE_DESTINATION: `${registry.host}/discs/windows:v1`,
      SECRET_NAME: 'login',
    }
    const done = await run('disk-uploader', upload)
    assert.equal(done.code, 0, done.stdout + done.stderr)
    assert.match(done.stdout, /digest.*sha256:[0-9a-f]{64}/)
    assert.equal(await machine.kubectl(['get', 'vmexport', '-o', 'name']), '')
  })

  const noTool = findOnPath('virt-customize') !== undefined && 'there is virt-customize on this machine'
  test('disk-virt-customize tells where to get what is missing', { skip: noTool }, async () => {
    const done = await run('disk-virt-customize', { pvc: 'windows', virtCommands: 'hostname web' })
    assert.notEqual(done.code, 0)
    assert.match(done.stdout + done.stderr, /apt-get install libguestfs-tools/)
  })
})
