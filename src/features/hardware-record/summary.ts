import type { HardwareStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import type { HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'

/** Returns the summary of a record for the VM's status. */
export function summaryOf({
  fingerprint,
  version,
  launch,
  history,
}: Pick<HardwareRecord, 'fingerprint' | 'version' | 'launch' | 'history'>): HardwareStatus {
  return {
    fingerprint,
    version,
    launch,
    history: history.map(({ fingerprint: was, since, reason, qemu, release }) => ({
      fingerprint: was,
      since,
      reason,
      qemu,
      ...(release === undefined ? {} : { release }),
    })),
  }
}
