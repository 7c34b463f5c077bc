// Takes longer than 45 s: guests restart and move to prove that they keep what they write.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { Cluster } from '#cli/cluster/connect.ts'
import { controlGroupObstacle, findGroupTrees } from '#runtime/isolation/control-groups.ts'
import { diskVirtualMachine } from '../support/manifests.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { createMigration, awaitMigrationEnd } from '../support/migrations.ts'

const run = promisify(execFile)

function claim(name: string, accessMode: string, volumeMode: string): string {
  const spec = { accessModes: [accessMode], volumeMode, resources: { requests: { storage: '16Mi' } } }
  return JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec })
}

/** A running QEMU, with its first disk and its monitor. */
interface Qemu {
  readonly pid: number
  readonly uid: number
  /** Content of `/proc/<pid>/status`. */
  readonly status: string
  readonly disk: string
  readonly socket: string
}

async function qemuOf(machine: TestMachine, name: string): Promise<Qemu> {
  const pid = machine.guests().find((guest) => guest.name === name)?.process.pid ?? 0
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8')
  const valueOf = (pattern: RegExp): string => pattern.exec(commandLine)?.[1] ?? assert.fail(`${pattern} is not in ${commandLine}`)
  return {
    pid,
    uid: Number(/^Uid:\s(\d+)/m.exec(status)?.[1]),
    status,
    disk: valueOf(/"filename":"([^"]*\/(?:data\.qcow2|disk\.img|web\.img))"/),
    socket: valueOf(/path=([^,]*\.qmp)/),
  }
}

/** Returns the control group of a process, and its memory limit in bytes. */
async function memoryGroupOf({ pid }: Qemu): Promise<{ readonly path: string; readonly bytes: number }> {
  const trees = findGroupTrees(await readFile('/proc/mounts', 'utf8'))
  const [root, file, line] =
    trees.version === 1
      ? ([trees.roots.memory, 'memory.limit_in_bytes', /^\d+:memory:(.*)$/m] as const)
      : ([trees.root, 'memory.max', /^0::(.*)$/m] as const)
  const path = line.exec(await readFile(`/proc/${pid}/cgroup`, 'utf8'))?.[1] ?? ''
  return { path, bytes: Number(await readFile(join(root, path, file), 'utf8')) }
}

/** Lists the paths that the user of a QEMU may write to, as the machine or a process sees them. */
async function usable(paths: readonly string[], { uid }: Qemu, viewOf?: number): Promise<string> {
  const script = 'for path; do [ ! -w "$path" ] || echo "$path"; done'
  const view = viewOf === undefined ? [] : [`--mount=/proc/${viewOf}/ns/mnt`]
  const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--', 'sh', '-c', script, 'sh', ...paths]
  return (await run('nsenter', [...view, '--', ...asUser])).stdout.trim()
}

suite('guests keep their data in claims', { skip: noKubectl }, () => {
  let machine: TestMachine
  let cluster: Cluster
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    cluster = await machine.connect()
  })
  after(async () => {
    cluster[Symbol.dispose]()
    await machine[Symbol.asyncDispose]()
  })

  const inGuest = (command: string, name = 'keeper'): Promise<string> => machine.inGuest(command, name)
  const ready = (name: string): Promise<string> => machine.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=300s'])
  const conditionOf = async (name: string, type: string): Promise<string> =>
    machine.kubectl(['get', name, '-o', `jsonpath={.status.conditions[?(@.type=="${type}")]['status','reason','message']}`])

  test('a VM reports its missing claim, and starts when it exists', async () => {
    await machine.kubectl(['create', '-f', '-'], diskVirtualMachine('keeper', { persistentVolumeClaim: { claimName: 'kept' } }))
    await machine.kubectl(['wait', 'vm/keeper', '--for=jsonpath={.status.printableStatus}=ErrorPvcNotFound', '--timeout=60s'])
    assert.match(await conditionOf('vm/keeper', 'Synchronized'), /default\/kept does not exist/)
    await machine.kubectl(['create', '-f', '-'], claim('kept', 'ReadWriteMany', 'Filesystem'))
    await ready('keeper')
    // What its file system is taken to need is not the guest's.
    assert.match(await inGuest('blockdev --getsize64 /dev/vda'), new RegExp(String(15 * 2 ** 20)))
  })

  test('data is kept over a restart', async () => {
    await inGuest('dd if=/bin/busybox of=/dev/vda bs=64k count=8 conv=fsync 2>/dev/null')
    const written = await inGuest('dd if=/dev/vda bs=64k count=8 2>/dev/null | sha256sum')
    const uid = textAt(await machine.getJson('vmi', 'keeper'), 'metadata.uid')
    await machine.kubectl(['delete', 'vmi/keeper', '--wait=false'])
    await eventually(
      async () => {
        const { code, stdout } = await machine.tryKubectl(['get', 'vmi', 'keeper', '-o', 'jsonpath={.metadata.uid} {.status.phase}'])
        return code === 0 && !stdout.startsWith(uid) && stdout.endsWith('Running')
      },
      () => 'the VM does not run again',
      300_000,
    )
    assert.equal(await inGuest('dd if=/dev/vda bs=64k count=8 2>/dev/null | sha256sum'), written)
  })

  test('data is kept over a migration, which copies nothing of it', async () => {
    const look = 'cat /proc/sys/kernel/random/boot_id; dd if=/dev/vda bs=64k count=8 2>/dev/null | sha256sum'
    const before = await inGuest(look)
    const from = textAt(await machine.getJson('vmi', 'keeper'), 'status.nodeName')
    assert.equal(textAt(await machine.getJson('vmi', 'keeper'), 'status.migrationMethod'), 'LiveMigration')
    const ended = await awaitMigrationEnd(cluster.client, await createMigration(cluster.client, 'keeper'))
    assert.equal(ended?.status?.phase, 'Succeeded', ended?.status?.migrationState?.failureReason ?? 'it has gone')
    assert.notEqual(textAt(await machine.getJson('vmi', 'keeper'), 'status.nodeName'), from)
    await eventually(
      () => machine.guests().length === 1,
      () => `${machine.guests().length} QEMUs are left`,
    )
    assert.equal(await inGuest(look), before)
    // And it writes to the same disk from there.
    await inGuest('echo moved >/dev/vda; sync; echo 3 >/proc/sys/vm/drop_caches')
    assert.match(await inGuest('head -c 5 /dev/vda'), /moved/)
  })

  test(
    'the QEMU of each VM has a user of its own, who reaches neither disk nor socket of another VM',
    { skip: machineModeOnly('containers separate guests on a cluster') || (process.getuid?.() !== 0 && 'only root has other users') },
    async () => {
      const limited = { limits: { memory: '80Mi', cpu: '2' } }
      await machine.kubectl(['create', '-f', '-'], diskVirtualMachine('neighbour', { emptyDisk: { capacity: '1Mi' } }, limited))
      await ready('neighbour')
      const [keeper, neighbour] = await Promise.all(['keeper', 'neighbour'].map((name) => qemuOf(machine, name)))
      assert.ok(keeper !== undefined && neighbour !== undefined)
      for (const { status, uid } of [keeper, neighbour]) {
        assert.match(status, new RegExp(`^Uid:\\s${uid}\\s${uid}\\s${uid}\\s${uid}$`, 'm'))
        assert.match(status, new RegExp(`^Groups:\\s${uid} $`, 'm'))
        assert.match(status, /^CapPrm:\s0+\nCapEff:\s0+\nCapBnd:\s0+$/m)
        assert.match(status, /^NoNewPrivs:\s1\nSeccomp:\s2$/m)
      }
      assert.ok(keeper.uid >= 524_288 && neighbour.uid >= 524_288 && keeper.uid !== neighbour.uid, `${keeper.uid}, ${neighbour.uid}`)
      const paths = [neighbour.disk, neighbour.socket]
      // Control: the check finds both where they may be used.
      assert.equal(await usable(paths, neighbour, neighbour.pid), paths.join('\n'))
      assert.equal(await usable(paths, keeper, keeper.pid), '', 'from the view of the other QEMU')
      assert.equal(await usable(paths, keeper), '', 'from the view of the machine')
      assert.equal(await usable([`/proc/${neighbour.pid}/mem`, `/proc/${neighbour.pid}/root/`], keeper), '')
      assert.equal((await stat(join(machine.home, 'guest-users'))).mode & 0o777, 0o700)
      if (controlGroupObstacle() === undefined) {
        const { path, bytes } = await memoryGroupOf(neighbour)
        assert.match(path, /^\/steadyvm-.*_compute_0$/)
        // What QEMU needs itself is added to the limit of the guest.
        const pod = [
          'get',
          'pods',
          '-l',
          'vm.kubevirt.io/name=neighbour',
          '-o',
          'jsonpath={.items[*].spec.containers[0].resources.limits.memory}',
        ]
        assert.equal(bytes, Number(quantityToBytes(parseQuantity(await machine.kubectl(pod)))))
        assert.ok(bytes > 100 << 20, String(bytes))
      }
      await machine.kubectl(['delete', 'vm', 'neighbour', '--timeout=60s'])
    },
  )

  test('no other guest can write to it at the same time', async () => {
    await machine.kubectl(['create', '-f', '-'], diskVirtualMachine('rival', { dataVolume: { name: 'kept' } }))
    await eventually(
      async () => textAt(await machine.getJson('vm', 'rival'), 'status.startFailure.consecutiveFailCount') !== '',
      async () => `the other guest is ${textAt(await machine.getJson('vm', 'rival'), 'status.printableStatus')}`,
      180_000,
    )
    assert.match(await inGuest('head -c 5 /dev/vda'), /moved/)
    await machine.kubectl(['delete', 'vm/rival'])
  })

  test('a VM waits while its raw volume is filled, and cannot be migrated if it is not shared', async () => {
    await machine.kubectl(['delete', 'vm/keeper'])
    await machine.kubectl(['create', '-f', '-'], diskVirtualMachine('raw', { dataVolume: { name: 'raw' } }))
    const pvc = { accessModes: ['ReadWriteOnce'], volumeMode: 'Block', resources: { requests: { storage: '16Mi' } } }
    const dataVolume = {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: { name: 'raw' },
      spec: { source: { blank: {} }, pvc },
    }
    await machine.kubectl(['wait', 'vm/raw', '--for=jsonpath={.status.printableStatus}=ErrorPvcNotFound', '--timeout=60s'])
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(dataVolume))
    await ready('raw')
    assert.match(await inGuest('blockdev --getsize64 /dev/vda', 'raw'), new RegExp(String(16 * 2 ** 20)))
    assert.match(await conditionOf('vmi/raw', 'LiveMigratable'), /False.*DisksNotLiveMigratable.*PVC raw is not shared/)
    await machine.kubectl(['delete', 'vm/raw'])
  })

  test('a host disk needs the feature gate, and is created with the requested size', async () => {
    const path = join(machine.home, 'images', 'web.img')
    const vm = diskVirtualMachine('host', { hostDisk: { path, type: 'DiskOrCreate', capacity: '3Mi' } })
    const { code, stderr } = await machine.tryKubectl(['create', '-f', '-'], vm)
    assert.equal(code, 1)
    assert.match(stderr, /HostDisk feature gate is not enabled/)
    const configuration = { developerConfiguration: { featureGates: ['HostDisk'] } }
    const gate = ['patch', 'kubevirt/kubevirt', '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify({ spec: { configuration } })]
    await machine.kubectl(gate)
    await eventually(
      async () => (await machine.tryKubectl(['create', '-f', '-'], vm)).code === 0,
      () => 'the gate has no effect',
    )
    await ready('host')
    const [{ pid, disk }, { ino, size }] = [await qemuOf(machine, 'host'), await stat(path)]
    assert.equal(size, 3 * 2 ** 20)
    assert.equal((await stat(`/proc/${pid}/root${disk}`)).ino, ino)
    assert.match(await conditionOf('vmi/host', 'LiveMigratable'), /False.*DisksNotLiveMigratable/)
  })
})
