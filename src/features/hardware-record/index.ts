/**
 * HardwareRecords: which hardware each VM's guest saw, why it changed, and the policy for changes.
 *
 * `decide` turns a rehearsed change into a verdict (silent, report, refuse), `recordAfter` updates
 * a record, `createHardwareSummaryController` copies a summary to the VM's status. QEMU is never
 * asked here: the node agent's hardware/ does that.
 */
export { warnOfHardwareWords } from './admission.ts'
export { decide, mustRehearse, type Verdict } from './decide.ts'
export { describeChange, describeChanges } from './describe.ts'
export { launchDigest, type LaunchPlace } from './launch-digest.ts'
export { hardwareNames, type HardwarePolicy } from './names.ts'
export { hardwarePolicyOf, isAccepted, shortFingerprint } from './policy.ts'
export { reasonOf, type Origin } from './reason.ts'
export { changesSince, isPlug, isPlugged, newRecord, recordAfter, type RecordContent, type HardwareObservation } from './record.ts'
export { createHardwareSummaryController } from './controller.ts'
