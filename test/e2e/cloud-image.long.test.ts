// Takes longer than 45 s: it builds a cloud image of Debian, and boots it half a dozen times.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { packArchive } from '#importer/archive/archive.fixture.ts'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { noRegistry, registryLogin, startContainerRegistry, type ContainerRegistry } from '../support/container-registry.ts'
import { sshOptions } from '../support/guests/guest-story.ts'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { buildCloudImage, cloudUser, noCloudImage } from '../support/images/cloud-image.ts'
import { startFileServer, type FileServer } from '../support/images/file-server.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { addressForPods } from '../support/place.ts'

const skip = noKubectl || noRegistry || noCloudImage || (podNetworkObstacle() ?? false)
/** Under emulation, a boot takes minutes on a machine that does other things, too. */
const bootMs = 1_800_000
const cron = 'dataimportcron/debian'
/** Time in which a guest shuts down, and is switched off after it: emulated ones need longer. */
const graceSeconds = 600

function withTimeToShutDown(vm: KubeJson): object {
  const { template, ...spec } = vm['spec'] as unknown as { readonly template: { readonly spec: object } }
  return { ...vm, spec: { ...spec, template: { ...template, spec: { ...template.spec, terminationGracePeriodSeconds: graceSeconds } } } }
}

suite('a cloud image of Debian, from its import to a clone of its guest', { skip }, () => {
  let machine: TestMachine
  let registry: ContainerRegistry
  let server: FileServer
  let folder: string
  let image: string

  before(async () => {
    image = await buildCloudImage()
    folder = await mkdtemp(join(tmpdir(), 'cloud-image-'))
    await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')])
    await symlink(image, join(folder, 'debian.qcow2'))
    machine = await startMachine()
    const address = await addressForPods(machine.kubeconfig)
    registry = await startContainerRegistry(address)
    server = await startFileServer(folder, { address, cutAfter: 40 << 20 })
  })
  after(async () => {
    await machine?.[Symbol.asyncDispose]()
    await registry?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const create = (...items: readonly object[]): Promise<string> =>
    machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))

  /** Runs a command of the CLI, and returns what it printed. */
  async function run(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await machine.steadyvm(...args)
    assert.equal(code, 0, `steadyvm ${args.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }

  /** Runs a command in a guest as the user of the image. Rejects unless its exit code is 0. */
  async function logIn(vm: string, command: string): Promise<string> {
    // The connection to a guest that is off stays open: ssh finds out by itself.
    const options = `${sshOptions} -o ServerAliveInterval=10 -o ServerAliveCountMax=6`
    const flags = ['-n', machine.namespace, '-i', join(folder, 'key'), '-t', options, '-c', command]
    return (await run('ssh', ...flags, `${cloudUser}@${vm}`)).trim()
  }

  /** Waits until the guest has booted, and cloud-init has done all that it does at this boot. */
  async function untilBooted(vm: string, previous = ''): Promise<string> {
    let last = ''
    const ready = 'cloud-init status --wait >/dev/null; cat /proc/sys/kernel/random/boot_id'
    await eventually(
      async () => {
        last = await logIn(vm, ready).catch(String)
        return /^[0-9a-f-]{36}$/.test(last) && last !== previous
      },
      () => last,
      bootMs,
    )
    return last
  }

  const vmi = (name: string): Promise<KubeJson> => machine.getJson('vmi', name)
  const until = (kind: string, path: string, wanted: string): Promise<string> =>
    machine.kubectl(['wait', kind, `--for=jsonpath=${path}=${wanted}`, '--timeout=600s'])
  const reference = (kind: string, name: string): object => ({
    apiGroup: kind === 'VirtualMachine' ? 'kubevirt.io' : 'snapshot.kubevirt.io',
    kind,
    name,
  })

  test('a tag of a registry becomes a DataSource with the hardware that the image names', async () => {
    const layer = gzipSync(
      await packArchive([
        { name: 'disk/', type: 'directory' },
        { name: 'disk/debian.qcow2', content: await readFile(image) },
      ]),
      {
        level: 1,
      },
    )
    const hardware = { INSTANCETYPE: 'u1.nano', PREFERENCE: 'debian' }
    const environment = Object.entries(hardware).map(([name, value]) => `INSTANCETYPE_KUBEVIRT_IO_DEFAULT_${name}=${value}`)
    const digest = await registry.push('cloud/debian', '12', { layer, environment })
    const source = { url: `docker://${registry.host}/cloud/debian:12`, secretRef: 'login', certConfigMap: 'authority' }
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
        metadata: { name: 'debian', annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' } },
        spec: {
          schedule: '0 3 * * *',
          managedDataSource: 'debian',
          template: { spec: { source: { registry: source }, storage: { resources: { requests: { storage: '2Gi' } } } } },
        },
      },
    )
    await machine.kubectl(['wait', cron, '--for=condition=UpToDate', '--timeout=600s'])
    await machine.kubectl(['wait', 'datasource/debian', '--for=condition=Ready', '--timeout=60s'])
    const { labels = {} } = ((await machine.getJson('datasource', 'debian'))['metadata'] ?? {}) as { labels?: Record<string, string> }
    assert.equal(labels['instancetype.kubevirt.io/default-instancetype'], 'u1.nano')
    assert.equal(labels['instancetype.kubevirt.io/default-preference'], 'debian')
    assert.match(await run('images', 'verify', 'debian'), /debian +ok +complete/)
    assert.match(await run('images', 'history', 'debian'), new RegExp(`debian-${digest.slice(7, 19)} .*Succeeded`))
  })

  test('a VM has that hardware, and cloud-init lets its user in, with all of the disk', async (t) => {
    const asked = ['--image', 'debian', '--size', '3Gi', '--ssh-key', join(folder, 'key.pub')]
    const vm = JSON.parse(await run('vm', 'create', 'web', ...asked, '-o', 'json')) as KubeJson
    await create(withTimeToShutDown(vm))
    const started = Date.now()
    const boot = await untilBooted('web')
    t.diagnostic(`logged in ${Math.round((Date.now() - started) / 1_000)} s after the start`)
    const { status } = await machine.getJson('vm', 'web')
    assert.match(JSON.stringify(status?.['instancetypeRef']), /u1\.nano/)
    assert.match(JSON.stringify(status?.['preferenceRef']), /debian/)
    assert.equal(await logIn('web', 'hostname'), 'web')
    // The preference asks for UEFI, and cloud-init grows partition and file system.
    assert.equal(await logIn('web', 'test -d /sys/firmware/efi && echo uefi'), 'uefi')
    assert.ok(Number(await logIn('web', 'df --output=size -B1M / | tail -n 1')) > 2_700)
    assert.equal(await logIn('web', 'systemctl --failed --plain --no-legend'), '')
    const addresses = await logIn('web', "ip -4 -o addr show scope global | awk '{print $4}'")
    t.diagnostic(addresses)
    await machine.kubectl(['wait', 'vmi/web', '--for=condition=AgentConnected', '--timeout=180s'])
    await eventually(
      async () => textAt(await vmi('web'), 'status.guestOSInfo.id') === 'debian',
      async () => JSON.stringify((await vmi('web'))['status']),
    )
    // The agent of the guest is asked, and nothing else knows these.
    const names = `/apis/subresources.kubevirt.io/v1/namespaces/${machine.namespace}/virtualmachineinstances/web/filesystemlist`
    assert.match(await machine.kubectl(['get', '--raw', names]), /"mountPoint":"\/"/)

    const uid = textAt(await vmi('web'), 'metadata.uid')
    await logIn('web', 'sudo systemctl reboot').catch(() => '')
    await untilBooted('web', boot)
    assert.equal(textAt(await vmi('web'), 'metadata.uid'), uid)
  })

  test('a snapshot is taken while the guest holds back its writes, and brings back what it has', async () => {
    await logIn('web', 'echo first >notes && sync')
    const keys = await logIn('web', 'cat /etc/ssh/ssh_host_ed25519_key.pub /etc/machine-id')
    await machine.kubectl(['wait', 'vmi/web', '--for=condition=AgentConnected', '--timeout=180s'])
    await create({
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineSnapshot',
      metadata: { name: 'monday' },
      spec: { source: reference('VirtualMachine', 'web') },
    })
    await until('vmsnapshot/monday', '{.status.phase}', 'Succeeded')
    assert.deepEqual((await machine.getJson('vmsnapshot', 'monday'))['status']?.['indications'], ['Online', 'GuestAgent'])
    await logIn('web', 'echo second >notes && sync')

    await create({
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineRestore',
      metadata: { name: 'back' },
      spec: { target: reference('VirtualMachine', 'web'), virtualMachineSnapshotName: 'monday', targetReadinessPolicy: 'StopTarget' },
    })
    await machine.kubectl(['wait', 'vmrestore/back', '--for=condition=Ready', '--timeout=600s'])
    await run('start', 'web')
    await untilGuestsRun(machine, ['web'])
    await untilBooted('web')
    assert.equal(await logIn('web', 'cat notes'), 'first')
    // To cloud-init it is the same instance.
    assert.equal(await logIn('web', 'cat /etc/ssh/ssh_host_ed25519_key.pub /etc/machine-id'), keys)
  })

  test('a clone runs beside its source, as another machine with the same content', async () => {
    await create({
      apiVersion: 'clone.kubevirt.io/v1beta1',
      kind: 'VirtualMachineClone',
      metadata: { name: 'twin' },
      spec: { source: reference('VirtualMachine', 'web'), target: reference('VirtualMachine', 'twin') },
    })
    await until('vmclone/twin', '{.status.phase}', 'Succeeded')
    await run('start', 'twin')
    await untilGuestsRun(machine, ['twin', 'web'])
    await untilBooted('twin')
    const identity = [
      'cat notes',
      'hostname',
      "ip -o link show up | sed -n 's,.*link/ether \\([0-9a-f:]*\\).*,\\1,p'",
      'sudo cat /sys/class/dmi/id/product_serial',
      'cut -d " " -f 2 /etc/ssh/ssh_host_ed25519_key.pub',
      "ip -4 -o addr show scope global | awk '{print $4}'",
    ].join(' && ')
    const [web, twin] = await Promise.all(['web', 'twin'].map(async (name) => (await logIn(name, identity)).split('\n')))
    assert.deepEqual([web?.length, twin?.length], [6, 6], JSON.stringify({ web, twin }))
    assert.equal(twin?.[0], 'first')
    assert.deepEqual([web?.[1], twin?.[1]], ['web', 'twin'])
    const same = web?.filter((line, index) => index > 0 && line === twin?.[index])
    assert.deepEqual(same, [], 'MAC address, serial number, host key and IP address are its own')
    for (const [name, known] of Object.entries({ web, twin })) assert.equal(textAt(await vmi(name), 'status.interfaces.0.mac'), known?.[2])
    await logIn('twin', 'echo third >notes && sync')
    assert.equal(await logIn('web', 'cat notes'), 'first')
  })

  test('the power button shuts the guest down, before its time is over', async (t) => {
    const started = Date.now()
    await run('stop', 'twin')
    await machine.kubectl(['wait', 'vm/twin', '--for=jsonpath={.status.printableStatus}=Stopped', '--timeout=900s'])
    const tookMs = Date.now() - started
    t.diagnostic(`off after ${Math.round(tookMs / 1_000)} s`)
    assert.ok(tookMs < graceSeconds * 1_000)
    // The guest ended QEMU by itself: it was not killed.
    assert.match(await machine.kubectl(['events', '--for', 'vmi/twin']), /Stopped .*was shut down/)
    await machine.kubectl(['delete', 'vm', 'twin', 'web', '--timeout=900s'])
  })

  test('one command makes a guest of an address, over a connection that is cut, and a BIOS boots it', async () => {
    const checksum = `sha256:${createHash('sha256')
      .update(await readFile(image))
      .digest('hex')}`
    const url = `${server.url}/debian.qcow2`
    const key = ['--ssh-key', join(folder, 'key.pub')]
    await run('images', 'import', 'direct', url, '--size', '2Gi', '--checksum', checksum, '--default-preference', 'linux')
    assert.deepEqual(server.ranges, [`bytes=${40 << 20}-`])
    assert.match(await run('images', 'verify', 'direct'), /direct +ok +complete; sha256:/)
    await run('vm', 'create', 'nothing', '--image', url, '--size', '3Gi', '--type', 'u1.nano', '--preference', 'linux', ...key)
    await untilBooted('nothing')
    assert.equal(await logIn('nothing', 'test -d /sys/firmware/efi || echo bios'), 'bios')
    assert.ok(Number(await logIn('nothing', 'df --output=size -B1M / | tail -n 1')) > 2_700)
    await machine.kubectl(['delete', 'vm', 'nothing', '--timeout=300s'])
    await run('images', 'rm', 'direct')
  })
})
