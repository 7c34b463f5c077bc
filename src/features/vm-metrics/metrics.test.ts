import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { addressesOf } from './instances.ts'
import { cardsOf } from './cards.ts'
import { defineCreationMetrics } from './created.ts'
import { defineGuestMetrics } from './metrics.ts'
import { statusGroupOf, statusSince } from './status-group.ts'

const at = (second: number): string => new Date(second * 1000).toISOString()

/** Caches with these objects, by plural name of their kind. */
function cachesOf(objects: Readonly<Record<string, readonly KubeObject[]>>): InformerSet {
  const keyOf = ({ metadata }: KubeObject): string => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
  const informer = ({ plural }: ResourceType<KubeObject>): object => {
    const all = objects[plural] ?? []
    return {
      list: () => all,
      get: (namespace: string, name: string) => all.find((one) => keyOf(one) === `${namespace}/${name}`),
      byIndex: (_: string, uid: string) => all.filter(({ metadata }) => metadata?.labels?.['kubevirt.io/created-by'] === uid),
      addIndex: () => {},
      onEvent: () => ({ [Symbol.dispose]: () => {} }),
    }
  }
  return { informer } as unknown as InformerSet
}

async function scrape(objects: Readonly<Record<string, readonly object[]>>): Promise<string[]> {
  const metrics = createMetrics()
  defineGuestMetrics(metrics, {
    informers: cachesOf(objects as Readonly<Record<string, readonly KubeObject[]>>),
    client: { get: async () => assert.fail('a scrape reads only caches') },
    config: () => ({ evictionStrategy: 'None' }),
  })
  return (await metrics.metrics()).split('\n')
}

const sized = {
  kind: 'VirtualMachineClusterInstancetype',
  metadata: { name: 'u1.small', labels: { 'instancetype.kubevirt.io/vendor': 'kubevirt.io' } },
  spec: { cpu: { guest: 2 }, memory: { guest: '2Gi', overcommitPercent: 50 } },
}
const captured = {
  kind: 'ControllerRevision',
  metadata: { name: 'copy', namespace: 'n' },
  data: { apiVersion: 'instancetype.kubevirt.io/v1beta1', ...sized, spec: { cpu: { guest: 4 }, memory: { guest: '8Gi' } } },
}

const vm = {
  metadata: { name: 'db', namespace: 'n', creationTimestamp: at(100) },
  spec: {
    instancetype: { kind: 'VirtualMachineClusterInstancetype', name: 'u1.small' },
    preference: { kind: 'VirtualMachinePreference', name: 'mine' },
    dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: { storage: { resources: { requests: { storage: '1Gi' } } } } }],
    template: {
      metadata: { annotations: { 'vm.kubevirt.io/os': 'fedora' } },
      spec: {
        domain: { machine: { type: 'q35' }, devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
        networks: [{ name: 'default', pod: {} }],
        volumes: [
          { name: 'disk', dataVolume: { name: 'root' } },
          { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
          { name: 'gone', persistentVolumeClaim: { claimName: 'gone' } },
        ],
      },
    },
  },
  status: { printableStatus: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(130) }] },
}

const claim = (name: string, storage: string): object => ({
  metadata: { name, namespace: 'n' },
  spec: { volumeMode: 'Block', resources: { requests: { storage } } },
})

suite('metrics of VMs', () => {
  test('tell size, disks, cards and status', async () => {
    const lines = await scrape({
      virtualmachines: [vm],
      virtualmachineclusterinstancetypes: [sized],
      virtualmachinepreferences: [{ kind: 'VirtualMachinePreference', metadata: { name: 'mine', namespace: 'n' }, spec: {} }],
      persistentvolumeclaims: [claim('root', '1181116007'), claim('data', '5Gi')],
    })
    const own = 'name="db",namespace="n"'
    for (const line of [
      `kubevirt_vm_info{${own},os="fedora",workload="",flavor="",machine_type="q35",instance_type="u1.small",preference="<other>",status="running",status_group="running"} 1`,
      `kubevirt_vm_create_date_timestamp_seconds{${own}} 100`,
      `kubevirt_vm_running_status_last_transition_timestamp_seconds{${own}} 130`,
      `kubevirt_vm_error_status_last_transition_timestamp_seconds{${own}} 0`,
      `kubevirt_vm_resource_requests{${own},resource="memory",unit="bytes",source="guest"} 2147483648`,
      `kubevirt_vm_resource_requests{${own},resource="memory",unit="bytes",source="domain"} 1073741824`,
      `kubevirt_vm_resource_requests{${own},resource="cpu",unit="cores",source="guest_effective"} 2`,
      `kubevirt_vm_disk_allocated_size_bytes{${own},persistentvolumeclaim="root",volume_mode="Block",device="disk"} 1073741824`,
      `kubevirt_vm_disk_allocated_size_bytes{${own},persistentvolumeclaim="data",volume_mode="Block",device="data"} 5368709120`,
      `kubevirt_vm_vnic_info{${own},vnic_name="default",binding_type="core",network="pod networking",binding_name="masquerade",model="<none>"} 1`,
    ]) {
      assert.ok(lines.includes(line), `${line} in ${lines.filter((one) => one.includes('"db"')).join('\n')}`)
    }
    assert.ok(!lines.some((line) => line.includes('"gone"')))
    assert.ok(lines.includes('# TYPE kubevirt_vm_running_status_last_transition_timestamp_seconds counter'))
  })

  test('are about the revision that a VM is pinned to, and not about its object of today', async () => {
    const pinned = {
      ...vm,
      status: {
        instancetypeRef: { kind: 'VirtualMachineClusterInstancetype', name: 'u1.small', controllerRevisionRef: { name: 'copy' } },
      },
    }
    const cpus = async (objects: Readonly<Record<string, readonly object[]>>): Promise<string[]> =>
      (await scrape({ virtualmachines: [pinned], ...objects }))
        .filter((line) => line.startsWith('kubevirt_vm_resource_requests') && line.includes('guest_effective'))
        .map((line) => `${/resource="(\w+)"/.exec(line)?.[1]} ${line.split(' ').at(-1)}`)
    assert.deepEqual(await cpus({ virtualmachineclusterinstancetypes: [sized], controllerrevisions: [captured] }), [
      'cpu 4',
      'memory 8589934592',
    ])
    // What it is pinned to is not in the cache: it is not guessed.
    assert.deepEqual(await cpus({ virtualmachineclusterinstancetypes: [sized] }), ['cpu 1'])
  })
})

suite('metrics of VMIs', () => {
  const vmi = {
    metadata: {
      name: 'db',
      namespace: 'n',
      uid: 'u1',
      labels: { 'kubevirt.io/outdatedLauncherImage': '' },
      annotations: { 'kubevirt.io/cluster-instancetype-name': 'u1.small', 'kubevirt.io/preference-name': 'deleted' },
    },
    spec: {
      evictionStrategy: 'LiveMigrate',
      domain: {
        memory: { guest: '1Gi' },
        devices: { autoattachGraphicsDevice: false, interfaces: [{ name: 'lan', bridge: {}, model: 'e1000' }] },
      },
      networks: [{ name: 'lan', multus: { networkName: 'n/lan' } }],
    },
    status: {
      phase: 'Running',
      nodeName: 'n1',
      machine: { type: 'pc-q35-7.2' },
      guestOSInfo: { name: 'Fedora Linux', kernelRelease: '6.1', machine: 'x86_64', versionId: '41' },
      interfaces: [{ name: 'lan', ipAddress: '10.0.0.2', interfaceName: 'eth0' }, { interfaceName: 'lo' }, {}],
    },
  }
  const launcher = (name: string, phase: string, nodeName: string): object => ({
    metadata: { name, namespace: 'n', labels: { 'kubevirt.io/created-by': 'u1' } },
    spec: { nodeName },
    status: { phase },
  })

  test('tell guest, pod, addresses and cards', async () => {
    const lines = await scrape({
      virtualmachineinstances: [vmi],
      virtualmachineclusterinstancetypes: [sized],
      pods: [launcher('old', 'Succeeded', 'n1'), launcher('target', 'Running', 'n2'), launcher('own', 'Running', 'n1')],
    })
    const where = 'node="n1",namespace="n",name="db"'
    for (const line of [
      `kubevirt_vmi_info{${where},phase="running",os="",workload="",flavor="",instance_type="u1.small",preference="<other>",guest_os_kernel_release="6.1",guest_os_machine="pc-q35-7.2",guest_os_arch="x86_64",guest_os_name="Fedora Linux",guest_os_version_id="41",evictable="false",outdated="true",vmi_pod="own"} 1`,
      `kubevirt_vmi_status_addresses{${where},vnic_name="lan",interface_name="eth0",address="10.0.0.2",type="ExternalInterface"} 1`,
      `kubevirt_vmi_status_addresses{${where},vnic_name="",interface_name="lo",address="",type="SystemInterface"} 1`,
      'kubevirt_vmi_vnic_info{name="db",namespace="n",vnic_name="lan",binding_type="core",network="n/lan",binding_name="bridge",model="e1000"} 1',
      // 50 MiB for QEMU, 2 MiB of page tables, and 8 MiB for a vCPU.
      'kubevirt_vmi_launcher_memory_overhead_bytes{namespace="n",name="db"} 62914560',
    ]) {
      assert.ok(lines.includes(line), `${line} in ${lines.filter((one) => one.includes('"db"')).join('\n')}`)
    }
    assert.equal(lines.filter((line) => line.startsWith('kubevirt_vmi_status_addresses{')).length, 2)
  })

  test('of a guest that has just been made have empty labels', () => {
    assert.deepEqual(addressesOf({ ...vmi, status: {} } as unknown as VirtualMachineInstance), [])
    assert.deepEqual(cardsOf({ domain: { devices: { interfaces: [{ name: 'x' }] } } }), [])
  })
})

test('snapshots that have succeeded show when the guest was as they hold it', async () => {
  const snapshot = (name: string, phase: string): object => ({
    metadata: { name, namespace: 'n' },
    spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'db' } },
    status: { phase, creationTime: at(7) },
  })
  const lines = await scrape({ virtualmachinesnapshots: [snapshot('a', 'Succeeded'), snapshot('b', 'InProgress')] })
  assert.deepEqual(
    lines.filter((line) => line.startsWith('kubevirt_vmsnapshot_')),
    ['kubevirt_vmsnapshot_succeeded_timestamp_seconds{name="db",snapshot_name="a",namespace="n"} 7'],
  )
})

suite('status of a VM', () => {
  const of = (printableStatus: string | undefined, conditions: object[] = []): VirtualMachine =>
    ({ metadata: { creationTimestamp: at(100) }, spec: vm.spec, status: { printableStatus, conditions } }) as unknown as VirtualMachine

  for (const [status, group] of [
    ['WaitingForVolumeBinding', 'starting'],
    ['Migrating', 'migrating'],
    ['Paused', 'non_running'],
    ['ErrorUnschedulable', 'error'],
    ['toString', undefined],
    [undefined, undefined],
  ] as const) {
    test(`${status} is ${group}`, () => assert.equal(statusGroupOf(of(status)), group))
  }

  test('lasts since the last change of a condition that comes with it', () => {
    const condition = (type: string, second: number): object => ({ type, status: 'True', lastTransitionTime: at(second) })
    assert.equal(statusSince(of('Running')), 100)
    assert.equal(statusSince(of('Paused', [condition('Ready', 110), condition('Paused', 120), condition('LiveMigratable', 130)])), 120)
  })
})

test('VMs are counted when they are created, and not by a dry run', async () => {
  const metrics = createMetrics()
  const onCreated = defineCreationMetrics(metrics)
  onCreated({ operation: 'CREATE', namespace: 'n' })
  onCreated({ operation: 'CREATE', namespace: 'n', dryRun: true })
  onCreated({ operation: 'UPDATE', namespace: 'n' })
  assert.match(await metrics.metrics(), /^kubevirt_vm_created_by_pod_total\{namespace="n"\} 1$/m)
})
