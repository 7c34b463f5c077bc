import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachinePool } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { importNames } from '#features/data-import-cron/index.ts'

/** Objects that may use an image. */
export interface Consumers {
  readonly vms: readonly VirtualMachine[]
  readonly vmis: readonly VirtualMachineInstance[]
  readonly pools: readonly VirtualMachinePool[]
  readonly dataVolumes: readonly DataVolume[]
  readonly dataSources: readonly DataSource[]
}

/** What is to be removed. */
export interface Removal {
  readonly dataSource: DataSource
  /** Its image, when that is a volume. */
  readonly claim: { readonly namespace: string; readonly name: string } | undefined
}

/**
 * Lists what uses a DataSource or its image, each as a sentence without a period. A VM whose disk
 * was copied uses the DataSource still: its template names it, and would make the disk anew.
 * Pure.
 */
export function usersOf({ dataSource, claim }: Removal, consumers: Consumers): readonly string[] {
  const { namespace = '', name = '', labels = {} } = dataSource.metadata
  const cron = labels[importNames.cronLabel]
  const copies = (spec: DataVolumeSpec | undefined, own: string): boolean => {
    const { sourceRef, source } = spec ?? {}
    if (sourceRef !== undefined)
      return sourceRef.kind === 'DataSource' && sourceRef.name === name && (sourceRef.namespace || own) === namespace
    const from = source?.pvc
    return from !== undefined && claim !== undefined && from.name === claim.name && (from.namespace || own) === claim.namespace
  }
  const mounts = (volumes: readonly Volume[] | undefined, own: string): boolean =>
    claim !== undefined && claim.namespace === own && (volumes ?? []).some((volume) => claimNameOf(volume) === claim.name)
  const vmNames = new Set(consumers.vms.map((vm) => keyOf(vm)))
  return [
    ...(cron === undefined ? [] : [`the DataImportCron "${cron}" keeps it: delete that instead`]),
    ...consumers.vms.flatMap((vm) => {
      const own = vm.metadata.namespace ?? ''
      const { dataVolumeTemplates = [], template } = vm.spec
      if (mounts(template.spec.volumes, own)) return [`VM "${keyOf(vm)}" has it as a disk`]
      return dataVolumeTemplates.some(({ spec }) => copies(spec, own)) ? [`VM "${keyOf(vm)}" makes its disk from it`] : []
    }),
    ...consumers.vmis
      .filter((vmi) => !vmNames.has(keyOf(vmi)) && mounts(vmi.spec.volumes, vmi.metadata.namespace ?? ''))
      .map((vmi) => `VMI "${keyOf(vmi)}" has it as a disk`),
    ...consumers.pools
      .filter(({ metadata, spec }) =>
        (spec.virtualMachineTemplate.spec?.dataVolumeTemplates ?? []).some((each) => copies(each.spec, metadata.namespace ?? '')),
      )
      .map((pool) => `VirtualMachinePool "${keyOf(pool)}" makes the disks of its VMs from it`),
    ...consumers.dataVolumes
      .filter(({ metadata, spec, status }) => status?.phase !== 'Succeeded' && copies(spec, metadata.namespace ?? ''))
      .map((dataVolume) => `DataVolume "${keyOf(dataVolume)}" is being copied from it`),
    ...consumers.dataSources
      .filter((other) => keyOf(other) !== keyOf(dataSource) && leadsTo(other))
      .map((other) => `DataSource "${keyOf(other)}" leads to it`),
  ]

  function leadsTo({ metadata, spec }: DataSource): boolean {
    const own = metadata.namespace ?? ''
    const { dataSource: next, pvc } = spec.source
    if (next !== undefined) return next.name === name && own === namespace
    return pvc !== undefined && claim !== undefined && pvc.name === claim.name && (pvc.namespace || own) === claim.namespace
  }
}

function keyOf({ metadata }: { readonly metadata?: { readonly namespace?: string; readonly name?: string } }): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}

function claimNameOf({ persistentVolumeClaim, dataVolume, ephemeral }: Volume): string | undefined {
  return persistentVolumeClaim?.claimName ?? dataVolume?.name ?? ephemeral?.persistentVolumeClaim?.claimName
}
