import type { HardwareChangeReason, HardwareFactChange } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { describeChanges } from './describe.ts'
import { hardwareNames, type HardwarePolicy } from './names.ts'
import { shortFingerprint } from './policy.ts'

/** A launch that has not happened, next to the hardware that the guest had the last time. */
export interface PlannedLaunch {
  /** Undefined: nobody knows what it had. */
  readonly known: { readonly fingerprint: string; readonly launch: string; readonly version: number } | undefined
  /** Digest of the launch. */
  readonly launch: string
  /** How hardware is written down today. */
  readonly version: number
}

/** Whether the hardware must be built to tell whether it is the same. */
export function mustRehearse({ known, launch, version }: PlannedLaunch): boolean {
  return known !== undefined && known.version === version && known.launch !== launch
}

/** What is known after the hardware was built. */
export interface Rehearsed {
  readonly before: string
  readonly fingerprint: string
  readonly changes: readonly HardwareFactChange[]
  readonly reason: HardwareChangeReason
  readonly policy: HardwarePolicy
  /** Whether the owner has asked for this very hardware. */
  readonly isAccepted: boolean
}

/** What is done about it. A message is for the owner of the guest. */
export type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'tell'; readonly reason: HardwareChangeReason; readonly message: string }
  | { readonly kind: 'refuse'; readonly reason: typeof hardwareNames.refusedReason; readonly message: string }

/** Decides about a start with hardware that may be another than before. */
export function decide({ before, fingerprint, changes, reason, policy, isAccepted }: Rehearsed): Verdict {
  if (before === fingerprint) return { kind: 'same' }
  if (policy === 'Allow') return { kind: 'silent' }
  const what = changes.length === 0 ? 'hardware that is not told' : describeChanges(changes)
  if (policy === 'Warn' || isAccepted) return { kind: 'tell', reason, message: `The guest sees other hardware than before: ${what}` }
  const accept = `${hardwareNames.acceptAnnotation}=${shortFingerprint(fingerprint)}`
  const message = `the guest would see other hardware than before, and its owner wants to be asked: ${what}. To accept it, annotate the VM with ${accept}`
  return { kind: 'refuse', reason: hardwareNames.refusedReason, message }
}
