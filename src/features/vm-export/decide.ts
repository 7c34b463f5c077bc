import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { names } from './names.ts'
import type { External } from './links/link.ts'
import type { SourceState } from './source/source.ts'

/** KubeVirt's. */
const defaultTtlMs = 2 * 3_600_000

/** Observed state of an export. */
export interface Observed {
  readonly vmExport: VirtualMachineExport
  readonly source: SourceState
  readonly external: External
  /** The pod of the export. */
  readonly pod: Pod | undefined
  readonly hasService: boolean
  /** True if certificates can be issued. */
  readonly hasAuthority: boolean
  /** Durations of certificates as configured now, as in {@link names.certificateParameters}. */
  readonly certificateParameters: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Why a pod is deleted: KubeVirt's reason of the event. */
export interface Removal {
  readonly reason: 'ExportPaused' | 'ExporterPodFailedOrCompleted' | 'CertificateParametersChanged' | 'ExternalAddressChanged'
  readonly message: string
}

/**
 * The next action. At most one of those that concern the pod; a Service and claims may be created
 * before.
 */
export type Step =
  | { readonly kind: 'none' }
  /** The export has expired. */
  | { readonly kind: 'expire' }
  | {
      readonly kind: 'keep'
      readonly createService: boolean
      /** Claims that the source needs. */
      readonly createClaims: readonly PersistentVolumeClaim[]
      readonly pod:
        | { readonly kind: 'none' }
        /** A pod with what it serves with. */
        | { readonly kind: 'create' }
        /** Secret and ConfigMap of a pod that waits for them, unless they are there. */
        | { readonly kind: 'equip'; readonly pod: Pod }
        | { readonly kind: 'delete'; readonly pod: Pod; readonly why: Removal }
    }

/** Returns the time at which an export expires, in milliseconds since the epoch. Pure. */
export function expirationOf({ metadata, spec }: VirtualMachineExport): number {
  return Date.parse(metadata.creationTimestamp ?? '') + (durationMs(spec.ttlDuration ?? '') ?? defaultTtlMs)
}

/**
 * Decides what an export needs: a Service for as long as it exists, and a pod while its source is
 * there and no one writes to it. Pure.
 */
export function decide(observed: Observed): Step {
  const { vmExport, hasService, now } = observed
  if (isBeingDeleted(vmExport)) return { kind: 'none' }
  // KubeVirt lets an export without a pod live on.
  if (expirationOf(vmExport) <= now) return { kind: 'expire' }
  return { kind: 'keep', createService: !hasService, createClaims: observed.source.missing ?? [], pod: decidePod(observed) }
}

type PodStep = Extract<Step, { readonly kind: 'keep' }>['pod']

function decidePod({ source, external, pod, hasAuthority, certificateParameters }: Observed): PodStep {
  if (pod === undefined) return source.isAvailable && source.volumes.length > 0 && hasAuthority ? { kind: 'create' } : { kind: 'none' }
  // Its name is free when it is gone.
  if (isBeingDeleted(pod)) return { kind: 'none' }
  const removal = removalOf(pod, source, { certificateParameters, address: external.base?.hostAndBase ?? '' })
  if (removal !== undefined) return { kind: 'delete', pod, why: removal }
  return isWaiting(pod) && hasAuthority ? { kind: 'equip', pod } : { kind: 'none' }
}

function removalOf(
  pod: Pod,
  source: SourceState,
  { certificateParameters, address }: { readonly certificateParameters: string; readonly address: string },
): Removal | undefined {
  const { namespace, name, annotations = {} } = pod.metadata
  // What is read while a guest writes is no disk.
  if (!source.isAvailable) return { reason: 'ExportPaused', message: source.ready.message || (source.own?.message ?? '') }
  if (claimsOf(pod) !== source.volumes.map(({ claim }) => claim.metadata.name).join())
    return { reason: 'ExportPaused', message: 'The source has other volumes now' }
  if (hasEnded(pod))
    return { reason: 'ExporterPodFailedOrCompleted', message: `Exporter pod ${namespace}/${name} is in phase ${pod.status?.phase}` }
  if (annotations[names.certificateParameters] !== certificateParameters)
    return { reason: 'CertificateParametersChanged', message: 'Exporter TLS certificate parameters updated' }
  // It serves manifests with URLs of this address.
  if ((annotations[names.externalAddress] ?? address) === address) return undefined
  return { reason: 'ExternalAddressChanged', message: 'The address of the export for clients from outside has changed' }
}

/** Claims in their order, which names have no comma of. */
function claimsOf({ spec }: Pod): string {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []).join()
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

function isWaiting({ status }: Pod): boolean {
  return (status?.phase ?? 'Pending') === 'Pending'
}

/** Reports whether a pod serves. */
export function isServing(pod: Pod | undefined): boolean {
  return pod !== undefined && !isBeingDeleted(pod) && isTrue(pod.status?.conditions, 'Ready')
}
