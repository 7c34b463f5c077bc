import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { noKubectl } from '../support/kubectl.ts'
import { diskVirtualMachine, growingVirtualMachine } from '../support/manifests.ts'
import { eventually } from '../support/machine.ts'
import { installationOn } from './installation/installation.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { foldersOf } from './settings.ts'

const work = await mkdtemp(join(tmpdir(), 'steadyvm-copies-'))
const folders = foldersOf({ home: join(work, 'cluster') })
const cluster = new KubernetesCluster(folders, () => {})
const { own, buildImages, steadyvm, apply, installed, getJson, inGuest } = installationOn(cluster, { work })

// As in k0s: it has a folder of its own.
const kubeletRoot = '/var/lib/k0s/kubelet'

suite('a Kubernetes cluster with the features of older ones', { skip: noKubectl === false ? cluster.obstacle : noKubectl }, () => {
  before(async () => {
    const images = await buildImages(own)
    await cluster.up({ nodes: 1, features: 'InPlacePodVerticalScaling=false', kubeletRoot })
    await cluster.load(join(images, 'images.tar'))
    await apply(await steadyvm('install', '--part', 'operator', '--kubelet-root', kubeletRoot))
    await apply(await steadyvm('install', '--part', 'kubevirt'))
    await installed(own)
  })
  after(async () => {
    await cluster.down({ data: true })
    await rm(work, { recursive: true, force: true })
  })

  const launcherPod = async (): Promise<Pod> => {
    const { items } = await getJson<{ items: Pod[] }>('pods', '-l', 'kubevirt.io=virt-launcher')
    return items[0] ?? assert.fail('no launcher pod')
  }

  test('boots a guest from a kernel and a disk that init containers copied', async () => {
    const disk = { containerDisk: { image: 'steadyvm.io/demo-guest:v1', path: '/boot/initrd' } }
    await cluster.kubectl(['create', '-f', '-'], [JSON.parse(diskVirtualMachine('copied', disk)) as object])
    await cluster.kubectl(['wait', 'vm/copied', '--for=condition=Ready', '--timeout=180s'])
    const { initContainers = [] } = (await launcherPod()).spec
    assert.deepEqual(
      initContainers.map(({ name }) => name),
      ['tools', 'disk-data', 'kernel-boot'],
    )
    assert.ok(Number(await inGuest('copied', 'blockdev --getsize64 /dev/vda')) > 1_000_000)
  })

  test('reports the file that an image lacks', async () => {
    const disk = { containerDisk: { image: 'steadyvm.io/demo-guest:v1', path: '/disk/none.qcow2' } }
    await cluster.kubectl(['create', '-f', '-'], [JSON.parse(diskVirtualMachine('lacking', disk)) as object])
    const events = (): Promise<string> => cluster.kubectl(['get', 'events', '-o', 'jsonpath={.items[*].message}'])
    await eventually(async () => /container disk-data: cp: can't stat '\/disk\/none.qcow2'/.test(await events()), events, 60_000)
    await cluster.kubectl(['delete', 'vm/lacking', '--timeout=120s'])
  })

  test('gives a guest sockets, but no memory beyond the limit of its pod, and reports it', async () => {
    const limits = [{ type: 'Container', default: { memory: '1200Mi' } }]
    const vm = JSON.parse(growingVirtualMachine('growing')) as object
    await cluster.kubectl(
      ['create', '-f', '-'],
      [{ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'tight' }, spec: { limits } }, vm],
    )
    await cluster.kubectl(['wait', 'vm/growing', '--for=condition=Ready', '--timeout=180s'])
    const domain = { cpu: { sockets: 2 }, memory: { guest: '1536Mi' } }
    await cluster.kubectl(['patch', 'vm/growing', '--type=merge', '-p', JSON.stringify({ spec: { template: { spec: { domain } } } })])
    const reasonOf = (type: string): Promise<string> =>
      cluster.kubectl(['get', 'vmi', 'growing', '-o', `jsonpath={.status.conditions[?(@.type=="${type}")].reason}`])
    const describe = (): Promise<string> => cluster.kubectl(['get', 'vmi', 'growing', '-o', 'yaml'])
    for (const [type, reason] of [
      ['steadyvm.io/PodResized', 'NotSupported'],
      ['HotMemoryChange', 'PodTooSmall'],
    ] as const)
      await eventually(async () => (await reasonOf(type)) === reason, describe, 60_000)
    await eventually(async () => (await inGuest('growing', 'nproc')) === '2', describe, 60_000)
    await cluster.kubectl(['delete', 'vm/growing', 'limitrange/tight', '--timeout=120s'])
  })

  for (const [name, when] of [
    ['first', 'that the node agent offers'],
    ['second', 'after the kubelet was killed and has forgotten all devices'],
  ] as const) {
    test(`gives a pod a device ${when}`, async () => {
      if (name === 'second') {
        await cluster.kill('node-1', 'kubelet')
        await cluster.up()
      }
      const image = (await launcherPod()).spec.containers[0]?.image ?? ''
      const containers = [{ name, image, command: ['ls', '/dev/net/tun'], resources: { limits: { 'devices.kubevirt.io/tun': '1' } } }]
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, restartPolicy: 'Never' } }
      await cluster.kubectl(['create', '-f', '-'], [pod])
      await cluster.kubectl(['wait', `pod/${name}`, '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s'])
      assert.match(await cluster.kubectl(['logs', name]), /tun/)
    })
  }
})
