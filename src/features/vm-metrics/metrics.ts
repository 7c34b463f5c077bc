import { componentNamespace } from '#api/access/component-users.ts'
import { configMaps, persistentVolumeClaims } from '#api/core/v1/resources.ts'
import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { EvictionConfig } from '#features/eviction/index.ts'
import {
  liveInCache,
  lookupIn,
  nameAnnotations,
  UnexpectedKind,
  type Family,
  type InstancetypeKind,
  type PreferenceKind,
} from '#features/instancetype/index.ts'
import { launchersIn } from '#features/vmi/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { defineInstanceMetrics, type InstanceSources } from './instances.ts'
import { observePhaseTimes } from './phase-times.ts'
import { sizeInCache } from './sizes.ts'
import { defineSnapshotMetrics } from './snapshots.ts'
import { defineVirtualMachineMetrics } from './virtual-machines.ts'
import { defineLabelMetrics, vmLabelsConfig } from './vm-labels.ts'

/** Dependencies of {@link defineGuestMetrics}. */
export interface GuestMetricsOptions {
  readonly informers: InformerSet
  readonly client: Pick<Client, 'get'>
  readonly config: () => EvictionConfig
}

type Kind = InstancetypeKind | PreferenceKind

const kinds: Readonly<Record<Kind, ResourceType<KubeObject>>> = {
  VirtualMachineInstancetype: virtualMachineInstancetypes,
  VirtualMachineClusterInstancetype: virtualMachineClusterInstancetypes,
  VirtualMachinePreference: virtualMachinePreferences,
  VirtualMachineClusterPreference: virtualMachineClusterPreferences,
}

const kindsOf: Readonly<Record<Family, readonly Kind[]>> = {
  instancetype: ['VirtualMachineInstancetype', 'VirtualMachineClusterInstancetype'],
  preference: ['VirtualMachinePreference', 'VirtualMachineClusterPreference'],
}

/** Defines the metrics of VMs, VMIs and snapshots. Call it before the caches start. */
export function defineGuestMetrics(
  metrics: Pick<Metrics, 'gaugeFrom' | 'counterFrom' | 'histogram'>,
  { informers, client, config }: GuestMetricsOptions,
): void {
  const lookup = lookupIn(informers, client)
  for (const resource of Object.values(kinds)) informers.informer(resource)
  const vmis = informers.informer(virtualMachineInstances)
  const vms = informers.informer(virtualMachines)
  const settings = informers.informer(configMaps, { namespace: componentNamespace, fieldSelector: `metadata.name=${vmLabelsConfig}` })
  defineLabelMetrics(metrics, { vms, settings: () => settings.get(componentNamespace, vmLabelsConfig) })
  defineVirtualMachineMetrics(metrics, {
    vms,
    claims: informers.informer(persistentVolumeClaims),
    matched: (vm, family) => liveMatch(lookup, vm, family),
    sizeOf: (vm) => sizeInCache(lookup, vm),
  })
  const started: InstanceSources['started'] = ({ metadata: { namespace = '', annotations = {} } }, family) => {
    for (const kind of kindsOf[family]) {
      const name = annotations[nameAnnotations[kind]]
      if (name !== undefined) return { object: lookup.cached?.(kinds[kind], kinds[kind].namespaced ? namespace : '', name) }
    }
    return undefined
  }
  defineInstanceMetrics(metrics, { vmis, launchers: launchersIn(informers), config, started })
  observePhaseTimes(metrics, vmis)
  defineSnapshotMetrics(metrics, informers.informer(virtualMachineSnapshots))
}

function liveMatch(lookup: Parameters<typeof liveInCache>[0], vm: VirtualMachine, family: Family): KubeObject | undefined {
  try {
    return liveInCache(lookup, vm, family)
  } catch (error) {
    if (error instanceof UnexpectedKind) return undefined
    throw error
  }
}
