import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import type { HardwareFactChange, HardwareRecord, HardwareRecordEntry } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { compareFingerprints, fingerprintHash, type Fingerprint } from '#qemu/index.ts'
import { reasonOf, type Origin } from './reason.ts'

/** Hardware that a guest was seen with. */
export interface Sighting extends Origin {
  readonly fingerprint: Fingerprint
  /** Digest of the launch. */
  readonly launch: string
  /** RFC 3339. */
  readonly now: string
  /** Whether the guest came running from another node. */
  readonly hasMoved?: boolean
}

/** What a record consists of, besides its name and owner. */
export type RecordContent = Pick<HardwareRecord, 'version' | 'fingerprint' | 'launch' | 'facts' | 'history'>

/**
 * Changes of hardware that are remembered, and facts that are told of each: a machine that is
 * rebuilt differs in hundreds.
 */
export const historyLimit = 10
const mostChanges = 50

/** What a record becomes by a sighting; undefined when it says so already. */
export function recordAfter(record: RecordContent | undefined, sighting: Sighting): RecordContent | undefined {
  const { fingerprint, launch, now, qemu, release, node, specification } = sighting
  const hash = fingerprintHash(fingerprint)
  const isSame = record?.fingerprint === hash
  if (isSame && record.launch === launch) return undefined
  const content = { version: fingerprint.version, fingerprint: hash, launch, facts: { ...fingerprint.facts } }
  // Launched with something else, it is the same to the guest. That it need not be built again the
  // next time is worth a note.
  if (isSame) return { ...content, history: record.history }
  const origin: Origin = {
    qemu,
    ...(release === undefined ? {} : { release }),
    ...(node === undefined ? {} : { node }),
    ...(specification === undefined ? {} : { specification }),
  }
  const isComparable = record !== undefined && record.version === fingerprint.version
  const changes = isComparable ? changesSince(record, fingerprint) : []
  const entry: HardwareRecordEntry = {
    fingerprint: hash,
    since: now,
    reason: isComparable && isPlug(record, sighting, changes) ? 'Plugged' : reasonOf(isComparable ? record.history[0] : undefined, origin),
    ...origin,
    ...(changes.length === 0 ? {} : { changes: changes.slice(0, mostChanges) }),
  }
  return { ...content, history: [entry, ...(record?.history ?? [])].slice(0, historyLimit) }
}

/** What is different from what a record says. */
export function changesSince({ version, facts }: Pick<HardwareRecord, 'version' | 'facts'>, now: Fingerprint): HardwareFactChange[] {
  return compareFingerprints({ version, facts }, now).map(({ name, before, after }) => ({
    name,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }))
}

/**
 * Whether all that is different was plugged into the running guest, which its owner has asked for:
 * at a start, the same would be another thing.
 */
export function isPlug(
  { launch }: Pick<RecordContent, 'launch'>,
  sighting: Pick<Sighting, 'launch' | 'hasMoved'>,
  changes: readonly HardwareFactChange[],
): boolean {
  const isSameRun = sighting.launch === launch || sighting.hasMoved === true
  return isSameRun && changes.length > 0 && changes.every(({ name }) => isPlugged(name))
}

/** Whether a fact is about what can be plugged into a running guest. */
export function isPlugged(name: string): boolean {
  return name === 'cpu: plugged' || name.endsWith(': requested-size')
}

/** A record of a VM that has none. */
export function newRecord(
  key: { readonly namespace: string; readonly name: string },
  owner: OwnerReference,
  content: RecordContent,
): HardwareRecord {
  return {
    apiVersion: apiVersionOf(hardwareRecords),
    kind: hardwareRecords.kind,
    metadata: { ...key, ownerReferences: [{ ...owner, blockOwnerDeletion: false }] },
    ...content,
  }
}
