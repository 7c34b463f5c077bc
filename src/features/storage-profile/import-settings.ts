import type { CDI, CdiNodePlacement } from '#api/cdi/v1beta1/cdi.ts'
import type { CDIConfig, CDIConfigSpec, CDIConfigStatus } from '#api/cdi/v1beta1/cdi-config.ts'
import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type { ResourceRequirements } from '#api/core/v1/container.ts'
import { overheadOf } from './overhead.ts'

/** Name of the only CDIConfig. */
export const configName = 'config'

/** CDI's default share of a file system that disks leave free. */
const defaultOverhead = 0.06

/**
 * Resources of workers. The request of memory is what one needs with qemu-img, so that no more of
 * them are on a node at once than it has memory for; CDI's 60M is less. The limit bounds what a
 * hostile image can make qemu-img use.
 */
const defaultResources: ResourceRequirements = {
  requests: { cpu: '100m', memory: '96M' },
  limits: { memory: '1Gi' },
}

/** Settings of imports, from CDIConfig and CDI. */
export interface ImportSettings {
  readonly overheadOf: (storageClass: string | undefined) => number
  readonly preallocation: boolean
  /** Registries that are asked without TLS. */
  readonly insecureRegistries: readonly string[]
  readonly resources: ResourceRequirements
  readonly imagePullSecrets: readonly LocalObjectReference[]
  readonly placement: CdiNodePlacement
  /** Claims that exist are taken over without an annotation. */
  readonly adoptsClaims: boolean
  /** Claims are bound when their first pod is scheduled, and not by a worker. */
  readonly honorsFirstConsumer: boolean
}

/** Returns the settings in force. Pure. */
export function importSettingsOf(config: CDIConfig | undefined, cdi: CDI | undefined): ImportSettings {
  const spec = config?.spec ?? {}
  return {
    overheadOf: (storageClass) => overheadOf(spec.filesystemOverhead, storageClass, defaultOverhead),
    preallocation: spec.preallocation === true,
    insecureRegistries: spec.insecureRegistries ?? [],
    resources: spec.podResourceRequirements ?? defaultResources,
    imagePullSecrets: spec.imagePullSecrets ?? [],
    placement: cdi?.spec.workload ?? {},
    adoptsClaims: spec.featureGates?.includes('DataVolumeClaimAdoption') === true,
    honorsFirstConsumer: true,
  }
}

/** Returns the status of CDIConfig. `uploadUrl`: where uploads are served, if it is known. Pure. */
export function configStatusOf(
  spec: CDIConfigSpec,
  {
    uploadUrl,
    uploadAuthority,
    scratchClass,
  }: { readonly uploadUrl?: string; readonly uploadAuthority?: string; readonly scratchClass?: string },
): CDIConfigStatus {
  const url = spec.uploadProxyURLOverride ?? uploadUrl
  const scratch = spec.scratchSpaceStorageClass ?? scratchClass
  const { global = String(defaultOverhead), storageClass = {} } = spec.filesystemOverhead ?? {}
  return {
    ...(url === undefined || url === '' ? {} : { uploadProxyURL: url }),
    ...(uploadAuthority === undefined ? {} : { uploadProxyCA: uploadAuthority }),
    ...(spec.importProxy === undefined ? {} : { importProxy: spec.importProxy }),
    ...(scratch === undefined ? {} : { scratchSpaceStorageClass: scratch }),
    defaultPodResourceRequirements: spec.podResourceRequirements ?? defaultResources,
    filesystemOverhead: { global, storageClass: { ...storageClass } },
    preallocation: spec.preallocation === true,
    ...(spec.imagePullSecrets === undefined ? {} : { imagePullSecrets: spec.imagePullSecrets }),
  }
}
