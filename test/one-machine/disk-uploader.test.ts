import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { noRegistry, registryLogin, startContainerRegistry, type ContainerRegistry } from '../support/container-registry.ts'
import { sample } from '../support/effort.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, type TestMachine } from '../support/machine.ts'
import { diskVirtualMachine, editGuest } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'
import { addressForPods } from '../support/place.ts'

const program = join(import.meta.dirname, '../../src/cmd/steadyvm-tasks.ts')
/** Prints the checksum of what a disk begins with. */
const sumOfDisk = 'dd if=/dev/vda bs=64k count=384 2>/dev/null | sha256sum'
const labels = {
  'instancetype.kubevirt.io/default-instancetype': 'u1.nano',
  'instancetype.kubevirt.io/default-preference': 'linux',
  'instancetype.kubevirt.io/default-preference-kind': 'VirtualMachineClusterPreference',
}

suite('the task disk-uploader', { skip: noKubectl || noRegistry }, () => {
  let machine: TestMachine
  let registry: ContainerRegistry
  let folder: string
  let written = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'disk-uploader-'))
    machine = await useNamespace()
    registry = await startContainerRegistry(await addressForPods(machine.kubeconfig))
    await writeFile(join(folder, 'authority.pem'), registry.authority)
    const vm = editGuest(diskVirtualMachine('web', { persistentVolumeClaim: { claimName: 'root' } }), (guest) => ({
      ...guest,
      terminationGracePeriodSeconds: 0,
    }))
    await create(claim('root', labels), { ...(JSON.parse(vm) as object), metadata: { name: 'web' } })
    const writing = 'dd if=/bin/busybox of=/dev/vda bs=64k seek=40 conv=fsync 2>/dev/null'
    written = (await machine.inGuest(`${writing}; ${sumOfDisk}`, 'web')).split(/\s/)[0] ?? ''
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const create = (...items: object[]): Promise<string> =>
    machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const size = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '24Mi' } } }
  const claim = (name: string, own: object): object => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, labels: own },
    spec: size,
  })
  const halt = (name: string): Promise<string> =>
    machine.kubectl(['patch', 'vm', name, '--type=merge', '-p', '{"spec":{"runStrategy":"Halted"}}'])
  const exportsLeft = (): Promise<string> => machine.kubectl(['get', 'vmexport', '-o', 'name'])

  interface Run {
    readonly child: ChildProcess
    readonly output: () => string
    readonly end: Promise<number | null>
    /** Folder of the results. */
    readonly results: string
  }

  function start(flags: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}): Run {
    const destination = `${registry.host}/team/disk:v1`
    const all = { 'export-source-kind': 'vm', 'export-source-name': 'web', 'volume-name': 'root', 'image-destination': destination }
    const args = Object.entries({ ...all, 'secret-name': 'login', ...flags }).map(([name, value]) => `--${name}=${value}`)
    const results = join(folder, 'results')
    const child = spawn(process.execPath, [program, 'disk-uploader', ...args], {
      env: {
        ...machine.env,
        TMPDIR: folder,
        ACCESS_KEY_ID: registryLogin.username,
        SECRET_KEY: registryLogin.password,
        NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
        STEADYVM_RESULTS_DIRECTORY: results,
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    const end = once(child, 'close').then(([code]) => code as number | null)
    return { child, end, results, output: () => output }
  }

  async function fails(code: number, message: RegExp, flags: Readonly<Record<string, string>>, environment = {}): Promise<void> {
    const run = start(flags, environment)
    assert.equal(await run.end, code, run.output())
    assert.match(run.output(), message)
    assert.equal(await exportsLeft(), '')
  }

  test('refuses what it cannot do before anything is exported', async () => {
    await fails(2, /one of vm, vmsnapshot, pvc/, { 'export-source-kind': 'vmi' })
    await fails(2, /image with a tag/, { 'image-destination': `registry.example.com/a@sha256:${'0'.repeat(64)}` })
    await fails(3, /key "accessKeyId"/, {}, { ACCESS_KEY_ID: '' })
    await fails(3, /registry answers 401/, {}, { SECRET_KEY: 'guessed' })
  })

  test('waits until the VM ends, and is taken up after it was killed', async () => {
    const run = { STEADYVM_RUN: 'one' }
    const killed = start({}, run)
    await eventually(
      async () => /Waiting for VirtualMachineExport .*InUse/.test(killed.output()),
      () => killed.output(),
    )
    killed.child.kill('SIGKILL')
    await killed.end
    assert.match(await exportsLeft(), /disk-uploader-web-/)
    await halt('web')
    const second = start({}, run)
    assert.equal(await second.end, 0, second.output())
    assert.match(second.output(), /left of this run before it was killed/)
    assert.match(await readFile(join(second.results, 'digest'), 'utf8'), /^sha256:[0-9a-f]{64}$/)
    assert.equal(await exportsLeft(), '')
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('steadyvm-tasks-')),
      [],
    )
  })

  test('its image becomes the same disk again, with the labels of the volume', async () => {
    const login = { accessKeyId: registryLogin.username, secretKey: registryLogin.password }
    const digest = await readFile(join(folder, 'results', 'digest'), 'utf8')
    const source = { url: `docker://${registry.host}/team/disk@${digest}`, secretRef: 'login', certConfigMap: 'authority' }
    await create(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: login },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'authority' }, data: { 'ca.pem': registry.authority } },
      {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataVolume',
        metadata: { name: 'again', annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' } },
        spec: { source: { registry: source }, pvc: size },
      },
    )
    await machine.kubectl(['wait', 'dv/again', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s'])
    const { metadata } = (await machine.getJson('pvc', 'again')) as unknown as { metadata: { labels: Record<string, string> } }
    assert.deepEqual({ ...metadata.labels, ...labels }, metadata.labels)
    const vm = JSON.parse(diskVirtualMachine('twin', { persistentVolumeClaim: { claimName: 'again' } })) as object
    await create({ ...vm, metadata: { name: 'twin' } })
    assert.equal((await machine.inGuest(sumOfDisk, 'twin')).split(/\s/)[0], written)
    await machine.kubectl(['delete', 'vm', 'twin'])
  })

  test('tells why a volume cannot be uploaded, and leaves no export', async () => {
    await fails(3, /VOLUME_NAME must be one of root/, { 'volume-name': 'other' })
    const ofClaim = { 'export-source-kind': 'pvc', 'export-source-name': 'root' }
    await fails(3, /storage\.contentType=kubevirt/, ofClaim)
    await fails(2, /VOLUME_NAME must be "root"/, { ...ofClaim, 'volume-name': 'other' })
  })

  const ofClaim = { 'export-source-kind': 'pvc', 'export-source-name': 'again', 'volume-name': 'again' }

  test('removes its export when it is asked to stop', async () => {
    const stopped = start(ofClaim)
    await eventually(
      async () => stopped.output().includes('Created VirtualMachineExport'),
      () => stopped.output(),
    )
    stopped.child.kill('SIGTERM')
    assert.equal(await stopped.end, 1, stopped.output())
    assert.equal(await exportsLeft(), '')
  })

  test('is taken up wherever it was killed, and leaves nothing', async () => {
    const run = { STEADYVM_RUN: 'two' }
    const flags = { ...ofClaim, 'image-destination': `${registry.host}/team/claim` }
    for (const step of sample(['Created VirtualMachineExport', 'Waiting for', 'Downloaded', 'Building', 'Pushing'], 2)) {
      const killed = start(flags, run)
      killed.child.stderr?.on('data', () => {
        if (killed.output().includes(step)) killed.child.kill('SIGKILL')
      })
      assert.equal(await killed.end, null, `${step}: ${killed.output()}`)
    }
    const last = start(flags, run)
    assert.equal(await last.end, 0, last.output())
    assert.equal(await exportsLeft(), '')
    const left = (await readdir(folder)).filter((name) => name.startsWith('steadyvm-tasks-'))
    assert.deepEqual(left, [])
    await eventually(
      async () => !(await machine.kubectl(['get', 'secrets', '-o', 'name'])).includes('disk-uploader'),
      () => 'there are Secrets with tokens left',
    )
  })
})
