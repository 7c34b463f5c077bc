import type { HardwareChangeReason, HardwareFactChange } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { describeChanges } from './describe.ts'
import { hardwareNames, type HardwarePolicy } from './names.ts'
import { shortFingerprint } from './policy.ts'

/** A planned launch, and the hardware record of the last one. */
export interface PlannedLaunch {
  /** Undefined without a record. */
  readonly known: { readonly fingerprint: string; readonly launch: string; readonly version: number } | undefined
  /** Digest of the launch arguments. */
  readonly launch: string
  /** Current {@link fingerprintVersion}. */
  readonly version: number
}

/** Reports whether the fingerprint has to be rehearsed in QEMU for the comparison. */
export function mustRehearse({ known, launch, version }: PlannedLaunch): boolean {
  return known !== undefined && known.version === version && known.launch !== launch
}

/** Result of a rehearsal. */
export interface Rehearsed {
  readonly before: string
  readonly fingerprint: string
  readonly changes: readonly HardwareFactChange[]
  readonly reason: HardwareChangeReason
  readonly policy: HardwarePolicy
  /** True if the owner has accepted this fingerprint. */
  readonly isAccepted: boolean
}

/** Consequence of a hardware change. Messages address the owner of the VM. */
export type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'tell'; readonly reason: HardwareChangeReason; readonly message: string }
  | { readonly kind: 'refuse'; readonly reason: typeof hardwareNames.refusedReason; readonly message: string }

/** Decides whether a start with possibly changed hardware is silent, reported or refused. */
export function decide({ before, fingerprint, changes, reason, policy, isAccepted }: Rehearsed): Verdict {
  if (before === fingerprint) return { kind: 'same' }
  if (policy === 'Allow') return { kind: 'silent' }
  const what = changes.length === 0 ? 'hardware that is not told' : describeChanges(changes)
  if (policy === 'Warn' || isAccepted) return { kind: 'tell', reason, message: `The guest sees other hardware than before: ${what}` }
  const accept = `${hardwareNames.acceptAnnotation}=${shortFingerprint(fingerprint)}`
  const message = `the guest would see other hardware than before, and its owner wants to be asked: ${what}. To accept it, annotate the VM with ${accept}`
  return { kind: 'refuse', reason: hardwareNames.refusedReason, message }
}
