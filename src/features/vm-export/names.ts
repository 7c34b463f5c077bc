import { createHash } from 'node:crypto'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'

/**
 * Names of labels, annotations and volumes of an export's objects. KubeVirt's, where it has them.
 */
export const names = {
  appLabel: 'kubevirt.io',
  app: 'virt-exporter',
  /** On pods: the export, by which its Service finds them. */
  serviceLabel: 'kubevirt.io.virt-export-service',
  /** On pods: durations of their certificate, to see when the configuration changes. */
  certificateParameters: 'kubevirt.io/export.certParameters',
  /** On pods: host and path of external links, which are in their manifests. */
  externalAddress: 'steadyvm.io/external-address',
  /** On claims: what CDI filled them with. */
  contentType: 'cdi.kubevirt.io/storage.contentType',
  /** On pods of machine mode: they listen on an address of their own. */
  ownAddress: 'steadyvm.io/own-address',
  servingVolume: 'certificates',
  tokenVolume: 'token',
  manifestVolume: 'manifest-data',
} as const

/** Selects pods and Services of exports. */
export const exportSelector: string = `${names.appLabel}=${names.app}`

/** Longest label of DNS. */
const longestName = 63

/** Name of the pod of an export. */
export function podNameOf({ metadata }: Pick<VirtualMachineExport, 'metadata'>): string {
  return joined('virt-export', metadata.name ?? '')
}

/** Name of the Service of an export: a label of DNS, without dots. */
export function serviceNameOf({ metadata }: Pick<VirtualMachineExport, 'metadata'>): string {
  return joined('virt-export', (metadata.name ?? '').replaceAll('.', '-'))
}

/** Name of the Secret of the token that the controller makes where the export names none. */
export function tokenSecretNameOf({ metadata, spec }: VirtualMachineExport): string {
  return spec.tokenSecretRef ?? joined('export-token', metadata.name ?? '')
}

/** Value of the label by which the Service finds the pod. */
export function serviceLabelOf({ metadata: { name = '' } }: Pick<VirtualMachineExport, 'metadata'>): string {
  return name.length <= longestName ? name : joined('virt-export', name)
}

/** Longest name of an object. */
const longestObjectName = 253

/** Name of the claim that an export of a snapshot reads in place of that of the VM. */
export function restoredClaimNameOf({ metadata }: Pick<VirtualMachineExport, 'metadata'>, claim: string): string {
  return shortened(`${metadata.name ?? ''}-${claim}`, longestObjectName)
}

/** Joins with a dash. A name that would be too long is cut, and ends in its hash. */
function joined(prefix: string, name: string): string {
  return shortened(`${prefix}-${name}`, longestName, name)
}

function shortened(whole: string, longest: number, hashed: string = whole): string {
  if (whole.length <= longest) return whole
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, 8)
  return `${whole.slice(0, longest - hash.length - 1).replace(/[-.]+$/, '')}-${hash}`
}
