import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isQuantity, parseQuantity, quantityToNumber } from '#apimachinery/quantity.ts'
import { evictionOutcome, type EvictionConfig } from '#features/eviction/index.ts'
import { memoryOverhead, podsByVmi } from '#features/vmi/index.ts'
import { updateNames } from '#features/workload-update/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Labels } from '#runtime/metrics/series.ts'
import { cardsOf } from './cards.ts'
import { reportedName } from './reported-name.ts'
import { systemOf } from './system.ts'
import { flatten } from './virtual-machines.ts'

/** What the metrics of VMIs are read from. */
export interface InstanceSources {
  readonly vmis: Pick<Lister<VirtualMachineInstance>, 'list'>
  /** With the index {@link podsByVmi}. */
  readonly launchers: Pick<Lister<Pod>, 'byIndex'>
  readonly config: () => EvictionConfig
  /** Returns the instance type or preference that a VMI was started with, by its annotations. */
  readonly started: (vmi: VirtualMachineInstance, family: 'instancetype' | 'preference') => StartedWith
}

/** The name in the annotations of a VMI, and the object if it still exists. */
export type StartedWith = { readonly object: KubeObject | undefined } | undefined

const infoLabels = (
  'node namespace name phase os workload flavor instance_type preference guest_os_kernel_release guest_os_machine guest_os_arch ' +
  'guest_os_name guest_os_version_id evictable outdated vmi_pod'
).split(' ')

/** Defines KubeVirt's metrics of VMIs, which are read from caches at each scrape. */
export function defineInstanceMetrics(metrics: Pick<Metrics, 'gaugeFrom'>, sources: InstanceSources): void {
  const { vmis } = sources
  const each =
    (samplesOf: (vmi: VirtualMachineInstance) => readonly Sample[]): (() => Generator<Sample>) =>
    () =>
      flatten(vmis.list(), samplesOf)
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vmi_info',
      help: 'Information about VirtualMachineInstances.',
      labels: infoLabels,
    },
    each((vmi) => [[instanceInfoOf(vmi, sources), 1]]),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vmi_status_addresses',
      help: "The addresses of a VirtualMachineInstance. This metric provides the address of an available network interface associated with the VMI in the 'address' label, and about the type of address, such as internal IP, in the 'type' label.",
      labels: ['node', 'namespace', 'name', 'vnic_name', 'interface_name', 'address', 'type'],
    },
    each((vmi) => addressesOf(vmi).map((labels) => [labels, 1])),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vmi_vnic_info',
      help: 'Details of VirtualMachineInstance (VMI) vNIC interfaces, such as vNIC name, binding type, network name, and binding name for each vNIC of a running instance.',
      labels: ['name', 'namespace', 'vnic_name', 'binding_type', 'network', 'binding_name', 'model'],
    },
    each((vmi) => cardsOf(vmi.spec).map((card) => [{ ...nameOf(vmi), ...card }, 1])),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vmi_launcher_memory_overhead_bytes',
      help: 'Estimation of the memory amount required by the launcher beside the memory of the guest.',
      labels: ['namespace', 'name'],
    },
    each((vmi) => [[nameOf(vmi), overheadOf(vmi)]]),
  )
}

/** Returns the labels of `kubevirt_vmi_info`. Pure. */
export function instanceInfoOf(vmi: VirtualMachineInstance, { launchers, config, started }: Omit<InstanceSources, 'vmis'>): Labels {
  const { metadata, status = {} } = vmi
  const { kernelRelease = '', machine = '', name = '', versionId = '' } = status.guestOSInfo ?? {}
  const nameFor = (family: 'instancetype' | 'preference'): string => {
    const found = started(vmi, family)
    return found === undefined ? '' : reportedName(found.object)
  }
  const pod = launchers
    .byIndex(podsByVmi, metadata.uid ?? '')
    .find((one) => one.status?.phase === 'Running' && one.spec.nodeName === status.nodeName)
  return {
    node: status.nodeName ?? '',
    ...nameOf(vmi),
    phase: (status.phase ?? '').toLowerCase(),
    ...systemOf(metadata.annotations),
    instance_type: nameFor('instancetype'),
    preference: nameFor('preference'),
    guest_os_kernel_release: kernelRelease,
    guest_os_machine: status.machine?.type ?? '',
    guest_os_arch: machine,
    guest_os_name: name,
    guest_os_version_id: versionId,
    evictable: String(evictionOutcome(vmi, config()) !== 'block'),
    outdated: String(metadata.labels?.[updateNames.outdatedLabel] !== undefined),
    vmi_pod: pod?.metadata.name ?? '',
  }
}

/** Returns the labels of each address of a guest, and of interfaces in it without one. Pure. */
export function addressesOf(vmi: VirtualMachineInstance): Labels[] {
  const { nodeName: node = '', interfaces = [] } = vmi.status ?? {}
  return interfaces.flatMap(({ name = '', interfaceName = '', ipAddress = '' }) => {
    if (ipAddress === '' && name === '' && interfaceName === '') return []
    const type = ipAddress === '' ? 'SystemInterface' : 'ExternalInterface'
    return [{ node, ...nameOf(vmi), vnic_name: name, interface_name: interfaceName, address: ipAddress, type }]
  })
}

/** What the launcher was started with, if the VMI says so. */
function overheadOf({ spec, status }: VirtualMachineInstance): number {
  const recorded = status?.memory?.memoryOverhead
  return recorded !== undefined && isQuantity(recorded) ? quantityToNumber(parseQuantity(recorded)) : Number(memoryOverhead(spec))
}

function nameOf({ metadata: { name = '', namespace = '' } }: VirtualMachineInstance): Labels {
  return { name, namespace }
}
