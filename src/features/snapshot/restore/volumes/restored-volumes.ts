import { createHash } from 'node:crypto'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineRestore, VolumeRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent, VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { claimNameOf } from '#features/vmi/index.ts'
import { lastRestoreAnnotation, restoreMark, restoreNameAnnotation } from '../../names.ts'
import { copyingDataVolume } from '../../volumes/backup-objects.ts'
import { filledClaimSpec } from '../../volumes/filled-claim.ts'

/** A volume to restore. */
export interface RestoredVolume {
  readonly backup: VolumeBackup
  /** Name of the claim, and of the DataVolume that fills it. */
  readonly name: string
  /** The VM has a template of the DataVolume. */
  readonly hasTemplate: boolean
}

/** Names of volumes have at most as many characters. */
const longestName = 63

/** Returns the volumes that a restore creates, with KubeVirt's names. Pure. */
export function restoredVolumes(restore: VirtualMachineRestore, content: VirtualMachineSnapshotContent): RestoredVolume[] {
  const { spec } = content.spec.source.virtualMachine ?? {}
  return (content.spec.volumeBackups ?? []).map((backup) => {
    const volume = spec?.template.spec.volumes?.find(({ name }) => name === backup.volumeName)
    return { backup, name: nameOf(restore, backup), hasTemplate: templateOf(spec, volume) !== undefined }
  })
}

function nameOf({ metadata, spec }: VirtualMachineRestore, { volumeName, persistentVolumeClaim }: VolumeBackup): string {
  const chosen = spec.volumeRestoreOverrides?.find((override) => override.volumeName === volumeName)?.restoreName ?? ''
  if (chosen !== '') return chosen
  switch (spec.volumeRestorePolicy ?? 'RandomizeNames') {
    case 'InPlace':
      return persistentVolumeClaim.metadata?.name ?? ''
    case 'PrefixTargetName':
      return shortened(`${spec.target.name}-${volumeName}`)
    case 'RandomizeNames':
      return `restore-${metadata.uid ?? ''}-${volumeName}`
  }
}

function shortened(name: string): string {
  if (name.length <= longestName) return name
  return `${name.slice(0, longestName - 9)}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

type Template = NonNullable<VirtualMachineSpec['dataVolumeTemplates']>[number]

function templateOf(spec: VirtualMachineSpec | undefined, volume: Volume | undefined): Template | undefined {
  const name = volume?.dataVolume?.name
  return name === undefined ? undefined : spec?.dataVolumeTemplates?.find(({ metadata }) => metadata?.name === name)
}

/**
 * Returns the DataVolume that fills a restored claim from the snapshot: of the size that the volume
 * had, or of the size that the driver asks for. The restore owns it until the VM uses it. Pure.
 */
export function restoringDataVolume(
  restore: VirtualMachineRestore,
  content: VirtualMachineSnapshotContent,
  { backup, name }: RestoredVolume,
  leastSize: string | undefined,
): DataVolume {
  const { namespace = '', name: restoreName = '', uid = '' } = restore.metadata
  const source = content.spec.source.virtualMachine?.metadata ?? {}
  const { metadata = {} } = backup.persistentVolumeClaim
  const override = restore.spec.volumeRestoreOverrides?.find(({ volumeName }) => volumeName === backup.volumeName)
  const isSnapshot = backup.volumeSnapshotName !== undefined
  const claim = filledClaimSpec(backup, leastSize)
  const copy = copyingDataVolume(name, backup.steadyvm?.copyClaimName ?? '', {
    namespace,
    owner: { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineRestore', name: restoreName, uid },
    spec: claim,
  })
  return {
    ...copy,
    metadata: {
      ...copy.metadata,
      labels: {
        ...metadata.labels,
        'restore.kubevirt.io/source-vm-name': source.name ?? '',
        'restore.kubevirt.io/source-vm-namespace': source.namespace ?? namespace,
        ...override?.labels,
      },
      annotations: {
        ...withoutControllers(metadata.annotations),
        ...copy.metadata.annotations,
        ...override?.annotations,
        [restoreNameAnnotation]: restoreName,
        [lastRestoreAnnotation]: restoreMark(restore),
      },
    },
    spec: isSnapshot ? { pvc: claim } : copy.spec,
  }
}

/** Annotations by which controllers follow a claim. They would take the new one for the old one. */
const ofControllers: readonly string[] = [
  'pv.kubernetes.io/',
  'volume.beta.kubernetes.io/',
  'volume.kubernetes.io/',
  'cdi.kubevirt.io/',
  'k8s.io/CloneRequest',
  'k8s.io/CloneOf',
  'kubectl.kubernetes.io/',
  lastRestoreAnnotation,
]

function withoutControllers(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !ofControllers.some((prefix) => key.startsWith(prefix))))
}

/**
 * Returns the spec of a VM whose volumes are the restored ones. A DataVolume without a template
 * becomes a claim, as in KubeVirt. Pure.
 */
export function withRestoredVolumes(spec: VirtualMachineSpec, restored: readonly RestoredVolume[]): VirtualMachineSpec {
  const { volumes } = spec.template.spec
  if (restored.length === 0 || volumes === undefined) return spec
  const renamed = new Map<string, string>()
  const replaced = volumes.map((volume): Volume => {
    const found = restored.find(({ backup }) => backup.volumeName === volume.name)
    if (found === undefined) return volume
    const { persistentVolumeClaim, dataVolume } = volume
    if (persistentVolumeClaim !== undefined)
      return { ...volume, persistentVolumeClaim: { ...persistentVolumeClaim, claimName: found.name } }
    if (dataVolume === undefined) return volume
    if (found.hasTemplate) {
      renamed.set(dataVolume.name, found.name)
      return { ...volume, dataVolume: { ...dataVolume, name: found.name } }
    }
    const { hotpluggable } = dataVolume
    return {
      name: volume.name,
      persistentVolumeClaim: { claimName: found.name, ...(hotpluggable === undefined ? {} : { hotpluggable }) },
    }
  })
  const templates = spec.dataVolumeTemplates?.map((template) => {
    const name = renamed.get(template.metadata?.name ?? '')
    return name === undefined ? template : { ...template, metadata: { ...template.metadata, name } }
  })
  return {
    ...spec,
    ...(templates === undefined ? {} : { dataVolumeTemplates: templates }),
    template: { ...spec.template, spec: { ...spec.template.spec, volumes: replaced } },
  }
}

/** Returns the DataVolumes of templates that a VM no longer has after a restore. Pure. */
export function obsoleteDataVolumes(before: VirtualMachineSpec, after: VirtualMachineSpec): string[] {
  const kept = new Set(after.dataVolumeTemplates?.map(({ metadata }) => metadata?.name))
  const used = new Set(after.template.spec.volumes?.map(claimNameOf))
  return (before.dataVolumeTemplates ?? []).flatMap(({ metadata: { name = '' } = {} }) => (kept.has(name) || used.has(name) ? [] : [name]))
}

/** Returns what the status of a restore says of its volumes. Pure. */
export function restoresOf(restored: readonly RestoredVolume[]): VolumeRestore[] {
  return restored.map(({ backup, name, hasTemplate }) => ({
    volumeName: backup.volumeName,
    persistentVolumeClaim: name,
    volumeSnapshotName: backup.volumeSnapshotName ?? backup.steadyvm?.copyClaimName ?? '',
    ...(hasTemplate ? { dataVolumeName: name } : {}),
  }))
}
