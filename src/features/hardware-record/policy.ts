import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { hardwareNames, hardwarePolicies, type HardwarePolicy } from './names.ts'

/** Any object with annotations. */
export interface Annotated {
  readonly metadata?: Pick<ObjectMeta, 'annotations'>
}

/**
 * Returns the policy of the VM, else of the cluster, else `Warn`. An invalid value counts as
 * `Refuse`: its author wanted protection.
 */
export function hardwarePolicyOf(vm: Annotated | undefined, kubevirt: Annotated | undefined): HardwarePolicy {
  const word =
    vm?.metadata?.annotations?.[hardwareNames.policyAnnotation] ?? kubevirt?.metadata?.annotations?.[hardwareNames.policyAnnotation]
  if (word === undefined) return 'Warn'
  return policyIn(word) ?? 'Refuse'
}

/** Parses a policy; undefined for an invalid value. */
export function policyIn(word: string): HardwarePolicy | undefined {
  return hardwarePolicies.find((policy) => policy.toLowerCase() === word.toLowerCase())
}

/** Minimum length of an accepted fingerprint prefix. */
export const fewestDigits = 8

/** Reports whether the VM's owner has accepted this fingerprint. */
export function isAccepted(vm: Annotated | undefined, fingerprint: string): boolean {
  const accepted = vm?.metadata?.annotations?.[hardwareNames.acceptAnnotation] ?? ''
  return accepted.length >= fewestDigits && fingerprint.startsWith(accepted)
}

/** Returns the prefix of a fingerprint for display and for the annotation. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, 12)
}
