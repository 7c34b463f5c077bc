import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import type { HardwareFactChange, HardwareRecord, HardwareRecordEntry } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { compareFingerprints, fingerprintHash, type Fingerprint } from '#qemu/index.ts'
import { reasonOf, type Origin } from './reason.ts'

/** Observed hardware of a launch. */
export interface HardwareObservation extends Origin {
  readonly fingerprint: Fingerprint
  /** Digest of the launch arguments. */
  readonly launch: string
  /** RFC 3339. */
  readonly now: string
  /** True if the guest was live-migrated to its node. */
  readonly hasMoved?: boolean
}

/** Content of a HardwareRecord without metadata. */
export type RecordContent = Pick<HardwareRecord, 'version' | 'fingerprint' | 'launch' | 'facts' | 'history'>

/**
 * Limit of history entries and of facts in one entry: a changed machine type differs in hundreds.
 */
export const historyLimit = 10
const mostChanges = 50

/** Returns the new content of a record; undefined when nothing changes. */
export function recordAfter(record: RecordContent | undefined, observation: HardwareObservation): RecordContent | undefined {
  const { fingerprint, launch, now, qemu, release, node, specification } = observation
  const hash = fingerprintHash(fingerprint)
  const isSame = record?.fingerprint === hash
  if (isSame && record.launch === launch) return undefined
  const content = { version: fingerprint.version, fingerprint: hash, launch, facts: { ...fingerprint.facts } }
  // Records the new digest, so that the next start needs no rehearsal.
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
    reason:
      isComparable && isPlug(record, observation, changes) ? 'Plugged' : reasonOf(isComparable ? record.history[0] : undefined, origin),
    ...origin,
    ...(changes.length === 0 ? {} : { changes: changes.slice(0, mostChanges) }),
  }
  return { ...content, history: [entry, ...(record?.history ?? [])].slice(0, historyLimit) }
}

/** Returns the facts that differ from the record. */
export function changesSince({ version, facts }: Pick<HardwareRecord, 'version' | 'facts'>, now: Fingerprint): HardwareFactChange[] {
  return compareFingerprints({ version, facts }, now).map(({ name, before, after }) => ({
    name,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }))
}

/**
 * Reports whether all changes were hotplugged into the running guest, as its owner asked. At a
 * start the same differences would be a change.
 */
export function isPlug(
  { launch }: Pick<RecordContent, 'launch'>,
  observation: Pick<HardwareObservation, 'launch' | 'hasMoved'>,
  changes: readonly HardwareFactChange[],
): boolean {
  const isSameRun = observation.launch === launch || observation.hasMoved === true
  return isSameRun && changes.length > 0 && changes.every(isPlugged)
}

/** Reports whether a difference is that of hotplugged hardware. */
export function isPlugged({ name, before, after }: HardwareFactChange): boolean {
  if (name === 'cpu: plugged' || name.endsWith(': requested-size')) return true
  // Cards are plugged into ports, which are bridges.
  return /^(device nic-|pci [^ ]+\/)/.test(name) && (before === undefined || after === undefined)
}

/** Returns the first record of a VM. */
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
