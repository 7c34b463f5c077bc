// Takes longer than 45 s: guests boot, grow, move and restart on a cluster of three nodes.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import { noKubectl } from '../support/kubectl.ts'
import { demoVirtualMachine, disksVirtualMachine, growingVirtualMachine, protectedVirtualMachine } from '../support/manifests.ts'
import { eventually } from '../support/machine.ts'
import { busyboxImage } from './components/node.ts'
import { installationOn } from './installation/installation.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { readRightsUse } from './installation/rights.ts'
import { foldersOf } from './settings.ts'

const work = await mkdtemp(join(tmpdir(), 'steadyvm-changes-'))
const folders = foldersOf({ home: join(work, 'cluster') })
const cluster = new KubernetesCluster(folders, () => {})
const { own, buildImages, steadyvm, apply, installed, getJson, launcherOf, inGuest } = installationOn(cluster, { work })
const next = 'v99.0.0'
const mebibyte = 2 ** 20

const bytesOf = (quantity: string | number = '0'): number => Number(quantityToBytes(parseQuantity(quantity)))

suite('guests that change on a Kubernetes cluster', { skip: noKubectl === false ? cluster.obstacle : noKubectl }, () => {
  let manifests = ''

  before(async () => {
    const images = await Promise.all([own, next].map((version) => buildImages(version)))
    await cluster.up({ nodes: 3, features: 'ImageVolume=true' })
    for (const folder of images) await cluster.load(join(folder, 'images.tar'))
    manifests = await steadyvm('install', '--part', 'operator')
    await apply(manifests)
    await apply(await steadyvm('install', '--part', 'kubevirt'))
    await installed(own)
  })
  after(async () => {
    await cluster.down({ data: true })
    await rm(work, { recursive: true, force: true })
  })

  const create = async (...objects: readonly (string | object)[]): Promise<void> => {
    const parsed = objects.map((one) => (typeof one === 'string' ? (JSON.parse(one) as object) : one))
    await cluster.kubectl(['create', '-f', '-'], parsed)
  }
  const start = async (...vms: readonly string[]): Promise<void> => {
    await create(...vms)
    for (const vm of vms) await ready((JSON.parse(vm) as { metadata: { name: string } }).metadata.name)
  }
  const ready = (name: string): Promise<string> => cluster.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=240s'])
  const patch = (what: string, change: object, ...options: readonly string[]): Promise<string> =>
    cluster.kubectl(['patch', what, '--type=merge', '-p', JSON.stringify(change), ...options])
  const configure = (spec: object): Promise<string> => patch('kubevirt/kubevirt', { spec }, '-n', 'kubevirt')
  const grow = (name: string, domain: object): Promise<string> => patch(`vm/${name}`, { spec: { template: { spec: { domain } } } })
  const remove = (...names: readonly string[]): Promise<string> => cluster.kubectl(['delete', 'vm', ...names, '--timeout=120s'])
  const vmiOf = (name: string): Promise<VirtualMachineInstance> => getJson<VirtualMachineInstance>('vmi', name)
  const conditionOf = async (name: string, type: string): Promise<string> =>
    findCondition((await vmiOf(name)).status?.conditions, type)?.reason ?? ''
  const bootOf = (name: string): Promise<string> => inGuest(name, 'cat /proc/sys/kernel/random/boot_id')
  const memoryMib = async (name: string): Promise<number> =>
    Number(await inGuest(name, "sed -n 's/MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo")) / 1024
  const describe = (): Promise<string> => cluster.kubectl(['get', 'vm,vmi,vmim,pods,events', '-o', 'yaml'])
  const until = (isDone: () => Promise<boolean>, limitMs = 120_000): Promise<void> => eventually(isDone, describe, limitMs)

  const podOf = async (name: string): Promise<Pod> => {
    const { items } = await getJson<{ items: Pod[] }>('pods', '-l', `vm.kubevirt.io/name=${name}`)
    const { uid } = await launcherOf(name)
    return items.find(({ metadata }) => metadata.uid === uid) ?? assert.fail(`no pod ${uid}`)
  }
  /** What the kubelet gives to the guest's container. */
  const effective = async (name: string, kind: 'requests' | 'limits'): Promise<Readonly<Record<string, unknown>>> =>
    (await podOf(name)).status?.containerStatuses?.[0]?.resources?.[kind] ?? {}

  const migrate = async (name: string): Promise<void> => {
    const { node } = await launcherOf(name)
    await steadyvm('migrate', name)
    await until(async () => (await launcherOf(name)).node !== node)
  }
  /** Fills memory of a guest that the rest of it does not need. */
  const fillMemory = async (name: string, mib: number): Promise<void> => {
    const mounted = 'mkdir -p /tmp/fill && mount -t tmpfs -o size=100% none /tmp/fill'
    await inGuest(name, `${mounted} && dd if=/dev/zero of=/tmp/fill/it bs=1M count=${mib} 2>/dev/null && stat -c %s /tmp/fill/it`)
  }

  suite('a running guest gets more', () => {
    let boot = ''

    test('sockets and memory, and its pod the requests, without a restart of either', async () => {
      await start(growingVirtualMachine('web'))
      boot = await bootOf('web')
      const [{ uid }, before] = [await launcherOf('web'), await memoryMib('web')]
      assert.deepEqual(await effective('web', 'requests'), { cpu: '100m', memory: '1084Mi' })
      await grow('web', { cpu: { sockets: 2 }, memory: { guest: '1280Mi' } })
      await until(async () => (await effective('web', 'requests'))['cpu'] === '200m')
      assert.deepEqual(await effective('web', 'requests'), { cpu: '200m', memory: '1380864Ki' })
      await until(async () => (await inGuest('web', 'nproc')) === '2')
      await until(async () => (await memoryMib('web')) > before + 200)
      assert.deepEqual([await bootOf('web'), (await launcherOf('web')).uid], [boot, uid])
      assert.equal((await podOf('web')).status?.containerStatuses?.[0]?.restartCount, 0)
      assert.equal(await conditionOf('web', 'steadyvm.io/PodResized'), '')
    })

    test('and keeps it on another node, in a pod of its size', async () => {
      const before = await memoryMib('web')
      await migrate('web')
      assert.deepEqual([await bootOf('web'), await inGuest('web', 'nproc'), await memoryMib('web')], [boot, '2', before])
      assert.deepEqual(await effective('web', 'requests'), { cpu: '200m', memory: '1380864Ki' })
    })

    test('and gives memory back', async () => {
      await grow('web', { memory: { guest: '1Gi' } })
      await until(async () => (await effective('web', 'requests'))['memory'] === '1092Mi')
      assert.equal(await bootOf('web'), boot)
    })

    test('only after the limit of its pod has grown, within which it may use all of it', async () => {
      const limits = { type: 'Container', default: { memory: '1200Mi', cpu: '2' } }
      await create({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'tight' }, spec: { limits: [limits] } })
      await start(growingVirtualMachine('tight'))
      assert.equal((await effective('tight', 'limits'))['memory'], '1200Mi')
      const id = await bootOf('tight')
      await grow('tight', { memory: { guest: '1536Mi' } })
      await until(async () => (await vmiOf('tight')).status?.memory?.guestCurrent === '1536Mi')
      assert.equal((await effective('tight', 'limits'))['memory'], '1713Mi')
      await fillMemory('tight', 1250)
      assert.equal(await bootOf('tight'), id)
      await cluster.kubectl(['delete', 'limitrange', 'tight'])
    })

    test('up to the limit that its VM sets', async () => {
      await start(growingVirtualMachine('limited', { limits: { memory: '1280Mi' }, requests: { memory: '1Gi' } }))
      const id = await bootOf('limited')
      await grow('limited', { memory: { guest: '1280Mi' } })
      await until(async () => (await vmiOf('limited')).status?.memory?.guestCurrent === '1280Mi')
      await fillMemory('limited', 1000)
      assert.equal(await bootOf('limited'), id)
      await remove('limited', 'tight')
    })

    test('also when its node has too little for the pod, and reports it', async () => {
      await start(growingVirtualMachine('greedy', { requests: { cpu: '1' } }))
      await grow('greedy', { cpu: { sockets: 4 } })
      await until(async () => (await conditionOf('greedy', 'steadyvm.io/PodResized')) === 'Infeasible')
      await until(async () => (await inGuest('greedy', 'nproc')) === '4')
      assert.equal((await effective('greedy', 'requests'))['cpu'], '1')
      await remove('greedy')
    })

    test('also when a quota refuses the pod, which is resized when the quota allows it', async () => {
      const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'full' }, spec: { hard: { 'requests.cpu': '210m' } } }
      await create(quota)
      await until(async () => /"requests.cpu":"200m"/.test(JSON.stringify(await getJson('resourcequota', 'full'))))
      await grow('web', { cpu: { sockets: 3 } })
      await until(async () => (await conditionOf('web', 'steadyvm.io/PodResized')) === 'Refused')
      await until(async () => (await inGuest('web', 'nproc')) === '3')
      await cluster.kubectl(['delete', 'resourcequota', 'full'])
      await until(async () => (await effective('web', 'requests'))['cpu'] === '300m')
      await until(async () => (await conditionOf('web', 'steadyvm.io/PodResized')) === '')
      assert.equal(await bootOf('web'), boot)
    })
  })

  test('a guest gets volumes of each kind while it runs, moves with them, and releases them', async () => {
    const kinds = ['Filesystem', 'Block'].map((volumeMode) => ({ name: volumeMode.toLowerCase(), volumeMode }))
    const claims = kinds.map(({ name, volumeMode }) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { accessModes: ['ReadWriteMany'], volumeMode, storageClassName: 'shared', resources: { requests: { storage: '1Gi' } } },
    }))
    await create(...claims)
    await start(demoVirtualMachine('plugged'))
    const id = await bootOf('plugged')
    const change = (volumes: readonly object[], disks: readonly object[]): Promise<string> =>
      patch('vm/plugged', { spec: { template: { spec: { volumes, domain: { devices: { disks } } } } } })
    const hot = kinds.map(({ name }) => ({ name, persistentVolumeClaim: { claimName: name, hotpluggable: true } }))
    await change(
      hot,
      kinds.map(({ name }) => ({ name, disk: { bus: 'virtio' }, serial: name })),
    )
    const phases = async (): Promise<string> => ((await vmiOf('plugged')).status?.volumeStatus ?? []).map(({ phase }) => phase).join(' ')
    await until(async () => (await phases()) === 'Ready Ready')
    const serials = 'for disk in /sys/block/vd*; do cat $disk/serial; echo; done | sort'
    await until(async () => /block\s+filesystem/.test(await inGuest('plugged', serials)))
    await inGuest('plugged', 'for disk in /dev/vd*; do echo kept >$disk; done; sync')
    await migrate('plugged')
    assert.match(await inGuest('plugged', 'for disk in /dev/vd*; do head -c 5 $disk; done'), /kept\s+kept/)
    await change([], [])
    await until(async () => (await cluster.kubectl(['get', 'pods', '-l', 'kubevirt.io=hotplug-disk', '-o', 'name'])).trim() === '')
    assert.equal(await inGuest('plugged', 'ls /sys/block'), '')
    assert.equal(await bootOf('plugged'), id)
    await remove('plugged')
  })

  test('a guest whose node has no room for its pod gets memory by a migration', async () => {
    await start(growingVirtualMachine('moved', { limits: { memory: '1536Mi' }, requests: { memory: '1Gi' } }))
    const [{ node }, id] = [await launcherOf('moved'), await bootOf('moved')]
    const { status } = await getJson<Node>('node', node)
    const { items } = await getJson<{ items: Pod[] }>('pods', '-A', '--field-selector', `spec.nodeName=${node}`)
    const requested = items.flatMap(({ spec }) => spec.containers.map(({ resources }) => bytesOf(resources?.requests?.['memory'])))
    const free = bytesOf(status?.allocatable?.['memory']) - requested.reduce((sum, bytes) => sum + bytes, 0)
    const resources = { requests: { memory: String(free - mebibyte / 2) } }
    const containers = [{ name: 'sleep', image: busyboxImage, command: ['sleep', '100000'], resources }]
    const spec = { nodeName: node, terminationGracePeriodSeconds: 0, containers }
    await create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'large' }, spec })
    await cluster.kubectl(['wait', 'pod/large', '--for=condition=Ready', '--timeout=60s'])
    await grow('moved', { memory: { guest: '1536Mi' } })
    await until(async () => (await conditionOf('moved', 'steadyvm.io/PodResized')) === 'Deferred')
    await until(async () => (await conditionOf('moved', 'HotMemoryChange')) === 'PodTooSmall')
    await configure({ workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } })
    await until(async () => (await vmiOf('moved')).status?.memory?.guestCurrent === '1536Mi')
    assert.notEqual((await launcherOf('moved')).node, node)
    await fillMemory('moved', 1250)
    assert.equal(await bootOf('moved'), id)
    await configure({ workloadUpdateStrategy: { workloadUpdateMethods: [] } })
    await cluster.kubectl(['delete', 'pod/large', 'vm/moved', '--timeout=120s'])
  })

  suite('a guest with claims', () => {
    const disks = { files: { persistentVolumeClaim: { claimName: 'files' } }, block: { persistentVolumeClaim: { claimName: 'block' } } }
    const look = 'head -c 5 /dev/vda; head -c 5 /dev/vdb'
    const write = 'for disk in vda vdb; do echo $disk-1 | dd of=/dev/$disk conv=fsync 2>/dev/null; done'
    const written = 'vda-1vdb-1'

    for (const [storageClassName, accessMode] of [
      ['shared', 'ReadWriteMany'],
      ['local', 'ReadWriteOnce'],
    ] as const) {
      test(`of the storage class ${storageClassName} keeps its data${storageClassName === 'shared' ? ', also on another node' : ''}`, async () => {
        const claim = (name: string, volumeMode: string): object => {
          const spec = { storageClassName, accessModes: [accessMode], volumeMode, resources: { requests: { storage: '64Mi' } } }
          return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec }
        }
        await create(claim('files', 'Filesystem'), claim('block', 'Block'))
        await start(disksVirtualMachine('keeper', disks))
        await inGuest('keeper', write)
        if (storageClassName === 'shared') await migrate('keeper')
        else assert.equal(await conditionOf('keeper', 'LiveMigratable'), 'DisksNotLiveMigratable')
        assert.equal((await inGuest('keeper', `echo 3 >/proc/sys/vm/drop_caches; ${look}`)).replaceAll('\n', ''), written)
        const { uid } = await launcherOf('keeper')
        await steadyvm('restart', 'keeper')
        await until(async () => (await launcherOf('keeper').catch(() => ({ uid }))).uid !== uid)
        await ready('keeper')
        assert.equal((await inGuest('keeper', look)).replaceAll('\n', ''), written)
        await remove('keeper')
        await cluster.kubectl(['delete', 'pvc', 'files', 'block', '--timeout=60s'])
      })
    }
  })

  test('a restored VM has the hardware of its snapshot', async () => {
    const type = (name: string, guest: number): object => {
      const spec = { cpu: { guest }, memory: { guest: '96Mi' } }
      return { apiVersion: 'instancetype.kubevirt.io/v1beta1', kind: 'VirtualMachineInstancetype', metadata: { name }, spec }
    }
    const api = { apiVersion: 'snapshot.kubevirt.io/v1beta1' }
    const vm = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'saved' }
    await create(type('one', 1), type('two', 2))
    await start(demoVirtualMachine('saved', { instancetype: 'one' }))
    await create({ ...api, kind: 'VirtualMachineSnapshot', metadata: { name: 'before' }, spec: { source: vm } })
    await cluster.kubectl(['wait', 'vmsnapshot/before', '--for=condition=Ready', '--timeout=60s'])
    await patch('vm/saved', { spec: { runStrategy: 'Halted', instancetype: { name: 'two' } } })
    await cluster.kubectl(['wait', 'vmi/saved', '--for=delete', '--timeout=120s'])
    await cluster.kubectl(['delete', 'vminstancetype', 'one'])
    const spec = { virtualMachineSnapshotName: 'before', target: vm }
    await create({ ...api, kind: 'VirtualMachineRestore', metadata: { name: 'back' }, spec })
    await cluster.kubectl(['wait', 'vmrestore/back', '--for=jsonpath={.status.complete}=true', '--timeout=60s'])
    await patch('vm/saved', { spec: { runStrategy: 'Always' } })
    await ready('saved')
    assert.equal(await inGuest('saved', 'nproc'), '1')
    await remove('saved')
  })

  test('guests follow to another release: those that can migrate keep running, others are evicted', async () => {
    const firm = JSON.parse(protectedVirtualMachine('firm', { interfaces: [{ name: 'pod', bridge: {} }] })) as {
      spec: { template: { spec: { evictionStrategy: string } } }
    }
    firm.spec.template.spec.evictionStrategy = 'None'
    await start(JSON.stringify(firm))
    await inGuest('web', 'echo kept >/tmp/kept')
    const [web, evicted] = [await bootOf('web'), await bootOf('firm')]
    const versionOf = async (name: string): Promise<string> =>
      (await vmiOf(name)).status?.launcherContainerImageVersion?.split(':').at(-1) ?? ''
    await apply(manifests.replaceAll(own, next))
    await installed(next)
    assert.deepEqual([await versionOf('web'), await versionOf('firm')], [own, own])
    await configure({ workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate', 'Evict'], batchEvictionInterval: '1s' } })
    await until(async () => (await versionOf('web')) === next && (await versionOf('firm').catch(() => '')) === next, 240_000)
    await ready('firm')
    assert.deepEqual([await bootOf('web'), await inGuest('web', 'cat /tmp/kept')], [web, 'kept'])
    assert.notEqual(await bootOf('firm'), evicted)
    // The target pod was made for the size that the guest has by now.
    assert.equal((await effective('web', 'requests'))['cpu'], '300m')
  })

  test('no component was refused a request', async () => {
    assert.deepEqual((await readRightsUse(folders, new Date())).refused, [])
  })
})
