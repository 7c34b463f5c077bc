import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { validateName } from '#apimachinery/names.ts'
import { deepFreeze } from '#apimachinery/equality.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { defaultClusterConfig, type ClusterConfig } from '#features/cluster-config/index.ts'
import { launcherPodName, launcherPodOf } from './launcher-pod.ts'
import { diskVolume } from './launcher-volumes.ts'

function vmi(name: string, uid: string): VirtualMachineInstance {
  return deepFreeze({
    metadata: {
      name,
      namespace: 'team',
      uid,
      labels: { app: 'x' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'a/b': 'c' },
    },
    spec: {
      domain: {
        devices: {},
        cpu: { sockets: 2, cores: 2, threads: 1 },
        memory: { guest: '1Gi' },
        firmware: { kernelBoot: { container: { image: 'kernel:1', kernelPath: '/k' } } },
      },
      architecture: 'amd64',
      terminationGracePeriodSeconds: 10,
      nodeSelector: { zone: 'a' },
      volumes: [
        { name: 'private', containerDisk: { image: 'disk:1', imagePullPolicy: 'Always' } },
        { name: 'scratch', emptyDisk: { capacity: '1Gi' } },
      ],
    },
  } satisfies VirtualMachineInstance)
}

suite('launcherPodOf()', () => {
  const pod = launcherPodOf(vmi('web', 'u1'), { inContainer: false, image: 'launcher:1', config: defaultClusterConfig })

  test("is selectable by label, owned by the VMI, and inherits users' labels and annotations", () => {
    assert.deepEqual(pod.metadata.labels, {
      app: 'x',
      'kubevirt.io': 'virt-launcher',
      'kubevirt.io/created-by': 'u1',
      'vm.kubevirt.io/name': 'web',
      'vmi.kubevirt.io/id': 'web',
    })
    const long = launcherPodOf(vmi('x'.repeat(70), 'u1'), { inContainer: false, image: 'launcher:1', config: defaultClusterConfig })
    // printf %s x…x | sha1sum
    assert.equal(long.metadata.labels?.['vmi.kubevirt.io/id'], `${'x'.repeat(54)}-bbaad84b`)
    assert.deepEqual(pod.metadata.annotations, {
      'a/b': 'c',
      'kubevirt.io/domain': 'web',
      'steadyvm.io/mounts': 'none',
      'steadyvm.io/pod-network': 'web',
      'steadyvm.io/guest-size': '4 CPUs, 1Gi',
      'descheduler.alpha.kubernetes.io/request-evict-only': '',
    })
    const [owner] = pod.metadata.ownerReferences ?? []
    assert.deepEqual([owner?.kind, owner?.uid, owner?.controller, owner?.blockOwnerDeletion], ['VirtualMachineInstance', 'u1', true, true])
  })

  test('has a longer grace period than its guest, schedulable nodes only, and 100m CPU per vCPU', () => {
    assert.equal(pod.spec.terminationGracePeriodSeconds, 40)
    assert.deepEqual(pod.spec.nodeSelector, { zone: 'a', 'kubevirt.io/schedulable': 'true', 'kubernetes.io/arch': 'amd64' })
    // 1Gi + 50Mi + 1Gi/512 + 4 × 8Mi + 32Mi of video
    assert.deepEqual(pod.spec.containers[0]?.resources?.requests, { cpu: '400m', memory: '1140Mi' })
  })

  const requestsWith = (config: Partial<ClusterConfig>, cpu?: string): unknown => {
    const { metadata, spec } = vmi('web', 'u1')
    const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } }
    const asked = { metadata, spec: { ...spec, domain: { ...spec.domain, ...resources } } }
    return launcherPodOf(asked, { inContainer: false, image: 'l', config: { ...defaultClusterConfig, ...config } }).spec.containers[0]
      ?.resources?.requests?.['cpu']
  }

  test('may use what the guest is limited to, and what QEMU needs beside it', () => {
    const { spec, ...limited } = vmi('web', 'u1')
    const resources = { limits: { cpu: '2', memory: '1Gi' } }
    const options = { inContainer: false, image: 'launcher:1', config: defaultClusterConfig }
    const [container] = launcherPodOf({ ...limited, spec: { ...spec, domain: { ...spec.domain, resources } } }, options).spec.containers
    assert.deepEqual(container?.resources?.limits, { cpu: '2', memory: '1140Mi' })
  })

  test('requests the CPU of the guest, else of the cluster, else a share per vCPU', () => {
    assert.equal(requestsWith({ cpuAllocationRatio: 2 }), '2000m')
    assert.equal(requestsWith({ cpuAllocationRatio: 2, cpuRequest: '300m' }), '300m')
    assert.equal(requestsWith({ cpuAllocationRatio: 2, cpuRequest: '300m' }, '1500m'), '1500m')
  })

  test("mounts images as volumes, for any names of the VMI's volumes", () => {
    assert.deepEqual(pod.spec.volumes, [
      { name: 'private', emptyDir: {} },
      { name: 'disk-private', image: { reference: 'disk:1', pullPolicy: 'Always' } },
      { name: 'kernel-boot', image: { reference: 'kernel:1' } },
    ])
  })

  test('leaves hotpluggable volumes to pods of their own, but for those that the guest was started with', () => {
    const volumes = ['old', 'new'].map((name) => ({ name, persistentVolumeClaim: { claimName: name, hotpluggable: true } }))
    const devices = { disks: volumes.map(({ name }) => ({ name, disk: { bus: 'scsi' } })) }
    const status = {
      volumeStatus: [
        { name: 'old', target: '' },
        { name: 'new', target: '', hotplugVolume: {} },
      ],
    }
    const { metadata, spec } = vmi('web', 'u1')
    const moving = { metadata, spec: { ...spec, volumes, domain: { ...spec.domain, devices } }, status }
    const migration = { name: 'm', uid: 'm', nodeSelector: {} }
    const claimsOf = (options: object): string[] =>
      (launcherPodOf(moving, { image: 'x', config: defaultClusterConfig, inContainer: true, ...options }).spec.volumes ?? []).flatMap(
        ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
      )
    assert.deepEqual([claimsOf({}), claimsOf({ migration })], [[], ['old']])
  })

  test('mounts claims as directories or block devices, and host paths', () => {
    const { metadata, spec } = vmi('web', 'u1')
    const volumes = [
      { name: 'root', dataVolume: { name: 'golden' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'raw', readOnly: true } },
      { name: 'host', hostDisk: { path: '/srv/web/a.img', type: 'DiskOrCreate' } },
    ]
    const known = [{ name: 'data', target: '', persistentVolumeClaimInfo: { volumeMode: 'Block' } }]
    const made = launcherPodOf(
      { metadata, spec: { ...spec, volumes } },
      { inContainer: false, image: 'l', config: defaultClusterConfig, volumes: known },
    )
    assert.deepEqual(made.spec.volumes?.slice(2), [
      { name: 'disk-root', persistentVolumeClaim: { claimName: 'golden' } },
      { name: 'disk-data', persistentVolumeClaim: { claimName: 'raw', readOnly: true } },
      { name: 'disk-host', hostPath: { path: '/srv/web', type: 'DirectoryOrCreate' } },
    ])
    const [container] = made.spec.containers
    assert.deepEqual(container?.volumeDevices, [{ name: 'disk-data', devicePath: '/dev/data' }])
    assert.deepEqual(
      container.volumeMounts?.slice(2).map(({ name, mountPath }) => [name, mountPath]),
      [
        ['disk-root', '/run/kubevirt-private/vmi-disks/root'],
        ['disk-host', '/run/kubevirt-private/vmi-disks/host'],
      ],
    )
  })

  test("has a valid name that depends on the VMI's UID only", () => {
    assert.equal(launcherPodName(vmi('web', 'u1')), launcherPodName(vmi('web', 'u1')))
    assert.notEqual(launcherPodName(vmi('web', 'u1')), launcherPodName(vmi('web', 'u2')))
    assert.deepEqual(validateName(launcherPodName(vmi('w'.repeat(253), 'u1')), 'dns-subdomain'), [])
    const longest = launcherPodOf(vmi('w'.repeat(253), 'u1'), { inContainer: false, image: 'launcher:1', config: defaultClusterConfig })
    assert.deepEqual(validateName((longest.metadata.generateName ?? '').replace(/-$/, ''), 'dns-subdomain'), [])
    for (const name of ['web.example.org', 'w'.repeat(253), `${'w'.repeat(62)}-x`]) {
      const { hostname = '' } = launcherPodOf(vmi(name, 'u1'), {
        inContainer: false,
        image: 'launcher:1',
        config: defaultClusterConfig,
      }).spec
      assert.deepEqual(validateName(hostname, 'dns-label'), [], hostname)
    }
    assert.deepEqual(validateName(diskVolume('v'.repeat(63)), 'dns-label'), [])
    assert.notEqual(diskVolume(`${'v'.repeat(62)}a`), diskVolume(`${'v'.repeat(62)}b`))
  })
})

test('in a container the pod needs no rights, and its directory is handed over by the node agent', () => {
  const vmi: VirtualMachineInstance = { metadata: { name: 'web', namespace: 'default', uid: 'u' }, spec: { domain: { devices: {} } } }
  const { spec } = launcherPodOf(vmi, { image: 'launcher:v1', inContainer: true, config: defaultClusterConfig })
  assert.deepEqual(spec.volumes?.find(({ name }) => name === 'handover')?.csi, { driver: 'launcher.steadyvm.io' })
  const [container] = spec.containers
  assert.ok(container?.volumeMounts?.some(({ name, mountPath }) => name === 'handover' && mountPath === '/run/steadyvm'))
  assert.deepEqual(container?.securityContext, { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } })
  assert.equal(spec.securityContext?.runAsUser, 107)
  assert.equal(container?.resources?.limits, undefined)
  assert.equal(spec.securityContext?.runAsNonRoot, true)
  assert.ok(spec.volumes?.every(({ hostPath }) => hostPath === undefined))
})

test('in a container, the launcher of a guest with an interface gets /dev/net/tun', () => {
  const vmi: VirtualMachineInstance = {
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { domain: { devices: { interfaces: [{ name: 'default', masquerade: {} }] } } },
  }
  const limits = (inContainer: boolean): unknown =>
    launcherPodOf(vmi, { image: 'launcher:v1', inContainer, config: defaultClusterConfig }).spec.containers[0]?.resources?.limits
  assert.deepEqual(limits(true), { 'devices.kubevirt.io/tun': '1' })
  assert.equal(limits(false), undefined)
})
