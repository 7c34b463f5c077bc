import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import {
  changesSince,
  describeChanges,
  isPlug,
  launchDigest,
  newRecord,
  recordAfter,
  type HardwareObservation,
} from '#features/hardware-record/index.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { activeMigration, names } from '#features/vmi/index.ts'
import { cpuFeaturesOf } from '#qemu/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import type { Guest } from '../guest/guest.ts'
import { podUidOf } from '../guest/observe.ts'
import { portsOf, type Ports } from '../guest/ports.ts'
import { queryHardware } from './query-hardware.ts'
import { originOf } from './origin.ts'
import { storedRecord, vmOf, type VmKey } from './vm-record.ts'
import { recordDelayMs } from './wait-for-record.ts'

const againMs = 1_000
/** Milliseconds between retries when the cluster does not serve HardwareRecords. */
const unservedMs = 300_000

/**
 * Records the hardware of each launch once, as QEMU reports it. Unchanged hardware is not written.
 * Runs after the starts, because nothing waits for the record.
 */
export function createHardwareReconciler(ports: Ports, quietMs: number): Reconciler {
  return async (request, { signal }) => {
    if (signal.aborted) return done
    const vmi = ports.vmis.get(request.namespace, request.name)
    const key = vmi === undefined ? undefined : vmOf(vmi)
    if (vmi === undefined || key === undefined || !isSettled(vmi, ports.nodeName)) return done
    const podUid = podUidOf(ports, vmi)
    const guest = ports.guests.forVmi(request).find((each) => each.podUid === podUid)
    if (guest === undefined) return recheckIn(againMs)
    if ((await guest.recordedFingerprint()) !== undefined) return done
    const ms = recordDelayMs(vmi, ports.vmis.list(), { nowMs: ports.clock.now(), quietMs })
    if (ms > 0) return recheckIn(ms)
    const record = await guest.record()
    const hardware = record === undefined ? undefined : await queryHardware(guest, record.arguments, { clock: ports.clock, signal })
    if (signal.aborted) return done
    if (record === undefined || hardware === undefined) return recheckIn(againMs)
    const { fingerprint, version } = hardware
    // Cached for a later migration, which would otherwise repeat hundreds of queries.
    guest.cpuFeatures ??= cpuFeaturesOf(fingerprint.facts)
    const launch = launchDigest(record.arguments, { ...portsOf(ports, guest).host, version })
    const origin = originOf(vmi, { qemu: version, node: ports.nodeName })
    const hasMoved = record.incoming !== undefined
    return keep(ports, { guest, vmi, record, key }, { fingerprint, launch, hasMoved, now: timestamp(ports.clock.now()), ...origin })
  }
}

/**
 * Reports whether the guest runs here and does not migrate. The target records the hardware after a
 * migration.
 */
function isSettled(vmi: VirtualMachineInstance, nodeName: string): boolean {
  const { metadata, status } = vmi
  const isHere = status?.phase === 'Running' && metadata.labels?.[names.nodeNameLabel] === nodeName
  return isHere && !isBeingDeleted({ metadata }) && !activeMigration(vmi)
}

interface RunningGuest {
  readonly guest: Guest
  readonly vmi: VirtualMachineInstance
  readonly record: LaunchRecord
  readonly key: VmKey
}

async function keep(ports: Ports, { guest, vmi, record, key }: RunningGuest, observation: HardwareObservation): Promise<Result> {
  const { client } = ports
  const stored = await storedRecord(ports, key)
  const content = recordAfter(stored, observation)
  if (content !== undefined) {
    try {
      if (stored === undefined) await client.create(hardwareRecords, newRecord(key, key.reference, content))
      else await client.update(hardwareRecords, { ...stored, ...content })
    } catch (error) {
      // The record belongs to a deleted VM of the same name, or another writer was faster.
      if (isAlreadyExists(error) || isConflict(error)) return recheckIn(againMs)
      if (isNotFound(error)) return recheckIn(stored === undefined ? unservedMs : againMs)
      throw error
    }
    const isNews = stored !== undefined && stored.version === content.version && stored.fingerprint !== content.fingerprint
    const changes = isNews ? changesSince(stored, observation.fingerprint) : []
    if (isNews && record.hardwareChanged === undefined && !isPlug(stored, observation, changes)) {
      const what = describeChanges(changes)
      ports.recorder.event(vmi, 'Warning', 'HardwareChanged', `The guest sees other hardware than before, which was not foreseen: ${what}`)
    }
  }
  await guest.saveFingerprint(content?.fingerprint ?? stored?.fingerprint ?? '')
  return done
}
