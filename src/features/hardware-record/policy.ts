import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { hardwareNames, hardwarePolicies, type HardwarePolicy } from './names.ts'

/** Whatever may have annotations. */
export interface Annotated {
  readonly metadata?: Pick<ObjectMeta, 'annotations'>
}

/**
 * What holds for a VM: its own word, else the cluster's, else to tell. A word that is none counts
 * for the cautious one: somebody wanted to be protected.
 */
export function hardwarePolicyOf(vm: Annotated | undefined, kubevirt: Annotated | undefined): HardwarePolicy {
  const word =
    vm?.metadata?.annotations?.[hardwareNames.policyAnnotation] ?? kubevirt?.metadata?.annotations?.[hardwareNames.policyAnnotation]
  if (word === undefined) return 'Warn'
  return policyIn(word) ?? 'Refuse'
}

/** The policy that somebody has written; undefined for a word that is none. */
export function policyIn(word: string): HardwarePolicy | undefined {
  return hardwarePolicies.find((policy) => policy.toLowerCase() === word.toLowerCase())
}

/** Fewer digits would accept what nobody has looked at. */
export const fewestDigits = 8

/** Whether the owner of a VM has asked for just this hardware. */
export function isAccepted(vm: Annotated | undefined, fingerprint: string): boolean {
  const accepted = vm?.metadata?.annotations?.[hardwareNames.acceptAnnotation] ?? ''
  return accepted.length >= fewestDigits && fingerprint.startsWith(accepted)
}

/** As much of a fingerprint as people have to compare and to type. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, 12)
}
