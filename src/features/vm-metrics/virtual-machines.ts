import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isQuantity, parseQuantity, quantityToNumber } from '#apimachinery/quantity.ts'
import type { SizedDomain } from '#features/instancetype/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Labels } from '#runtime/metrics/series.ts'
import { cardsOf } from './cards.ts'
import { reportedName } from './reported-name.ts'
import { limitsOf, requestsOf } from './resources.ts'
import { secondsOf, statusGroupOf, statusSince, type StatusGroup } from './status-group.ts'
import { systemOf } from './system.ts'

/** What the metrics of VMs are read from. */
export interface VirtualMachineSources {
  readonly vms: Pick<Lister<VirtualMachine>, 'list'>
  readonly claims: Pick<Lister<PersistentVolumeClaim>, 'get'>
  /** Returns the instance type or preference that a VM names. */
  readonly matched: (vm: VirtualMachine, family: 'instancetype' | 'preference') => KubeObject | undefined
  /** Returns the size of the guest of a VM, with its instance type. */
  readonly sizeOf: (vm: VirtualMachine) => SizedDomain
}

const own = ['name', 'namespace']

/** Defines KubeVirt's metrics of VMs, which are read from caches at each scrape. */
export function defineVirtualMachineMetrics(metrics: Pick<Metrics, 'gaugeFrom' | 'counterFrom'>, sources: VirtualMachineSources): void {
  const { vms, claims, matched, sizeOf } = sources
  const each =
    (samplesOf: (vm: VirtualMachine) => readonly Sample[]): (() => Generator<Sample>) =>
    () =>
      flatten(vms.list(), samplesOf)
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vm_info',
      help: 'Information about Virtual Machines.',
      labels: [...own, 'os', 'workload', 'flavor', 'machine_type', 'instance_type', 'preference', 'status', 'status_group'],
    },
    each((vm) => [[{ ...nameOf(vm), ...infoOf(vm, matched) }, 1]]),
  )
  metrics.gaugeFrom(
    { name: 'kubevirt_vm_create_date_timestamp_seconds', help: 'Virtual Machine creation timestamp.', labels: own },
    each((vm) => [[nameOf(vm), secondsOf(vm.metadata.creationTimestamp)]]),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vm_resource_requests',
      help: 'Resources requested by Virtual Machine. Reports memory and CPU requests.',
      labels: [...own, 'resource', 'unit', 'source'],
    },
    each((vm) => requestsOf(sizeOf(vm)).map(({ value, ...labels }) => [{ ...nameOf(vm), ...labels }, value])),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vm_resource_limits',
      help: 'Resource limits set for a Virtual Machine. Reports CPU and memory limits only when they are defined.',
      labels: [...own, 'resource', 'unit'],
    },
    each((vm) => limitsOf(sizeOf(vm)).map(({ value, ...labels }) => [{ ...nameOf(vm), ...labels }, value])),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vm_disk_allocated_size_bytes',
      help: 'Allocated disk size of a Virtual Machine in bytes, based on its PersistentVolumeClaim. Includes persistentvolumeclaim (PVC name), volume_mode (disk presentation mode: Filesystem or Block), and device (disk name).',
      labels: [...own, 'persistentvolumeclaim', 'volume_mode', 'device'],
    },
    each((vm) => disksOf(vm, claims).map(([labels, bytes]) => [{ ...nameOf(vm), ...labels }, bytes])),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vm_vnic_info',
      help: "Details of Virtual Machine (VM) vNIC interfaces, such as vNIC name, binding type, network name, and binding name for each vNIC defined in the VM's configuration.",
      labels: [...own, 'vnic_name', 'binding_type', 'network', 'binding_name', 'model'],
    },
    each((vm) => cardsOf(vm.spec.template.spec).map((card) => [{ ...nameOf(vm), ...card }, 1])),
  )
  // A VM has a series for each group, and a time in that of its status only.
  const since = (group: StatusGroup): (() => Generator<Sample>) =>
    each((vm) => [[nameOf(vm), (statusGroupOf(vm) ?? 'error') === group ? statusSince(vm) : 0]])
  metrics.counterFrom(
    {
      name: 'kubevirt_vm_starting_status_last_transition_timestamp_seconds',
      help: 'Virtual Machine last transition timestamp to starting status.',
      labels: own,
    },
    since('starting'),
  )
  metrics.counterFrom(
    {
      name: 'kubevirt_vm_running_status_last_transition_timestamp_seconds',
      help: 'Virtual Machine last transition timestamp to running status.',
      labels: own,
    },
    since('running'),
  )
  metrics.counterFrom(
    {
      name: 'kubevirt_vm_migrating_status_last_transition_timestamp_seconds',
      help: 'Virtual Machine last transition timestamp to migrating status.',
      labels: own,
    },
    since('migrating'),
  )
  metrics.counterFrom(
    {
      name: 'kubevirt_vm_non_running_status_last_transition_timestamp_seconds',
      help: 'Virtual Machine last transition timestamp to paused/stopped status.',
      labels: own,
    },
    since('non_running'),
  )
  metrics.counterFrom(
    {
      name: 'kubevirt_vm_error_status_last_transition_timestamp_seconds',
      help: 'Virtual Machine last transition timestamp to error status.',
      labels: own,
    },
    since('error'),
  )
}

/** Yields the samples of each object: the text of a scrape is made while they are read. */
export function* flatten<T>(objects: readonly T[], samplesOf: (object: T) => readonly Sample[]): Generator<Sample> {
  for (const object of objects) yield* samplesOf(object)
}

function nameOf({ metadata: { name = '', namespace = '' } }: KubeObject & { readonly metadata: object }): Labels {
  return { name, namespace }
}

/** Returns the labels of `kubevirt_vm_info` besides the name. Pure. */
export function infoOf(vm: VirtualMachine, matched: VirtualMachineSources['matched']): Labels {
  const { template, instancetype, preference } = vm.spec
  return {
    ...systemOf(template.metadata?.annotations),
    machine_type: template.spec.domain?.machine?.type ?? '',
    instance_type: instancetype == null ? '' : reportedName(matched(vm, 'instancetype')),
    preference: preference == null ? '' : reportedName(matched(vm, 'preference')),
    status: (vm.status?.printableStatus ?? '').toLowerCase(),
    status_group: statusGroupOf(vm) ?? '<unknown>',
  }
}

/** Returns the labels and the bytes of each disk on a claim that exists. Pure. */
export function disksOf(vm: VirtualMachine, claims: VirtualMachineSources['claims']): (readonly [Labels, number])[] {
  return (vm.spec.template.spec.volumes ?? []).flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
    const claim = name === undefined ? undefined : claims.get(vm.metadata.namespace ?? '', name)
    if (name === undefined || claim === undefined) return []
    const asked =
      (volume.dataVolume === undefined ? undefined : templateSize(vm, name)) ?? claim.spec?.resources?.requests?.['storage'] ?? '0'
    const bytes = isQuantity(asked) ? quantityToNumber(parseQuantity(asked)) : 0
    return [[{ persistentvolumeclaim: name, volume_mode: claim.spec?.volumeMode ?? '', device: volume.name }, bytes] as const]
  })
}

/** Size that a template of the VM asks for: the claim may be larger, for the file system. */
function templateSize({ spec }: VirtualMachine, name: string): string | number | undefined {
  const template = spec.dataVolumeTemplates?.find(({ metadata }) => metadata?.name === name)?.spec
  return (template?.pvc ?? template?.storage)?.resources?.requests?.['storage']
}
