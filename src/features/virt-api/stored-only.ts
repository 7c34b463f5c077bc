/** Kinds that nothing acts on yet, and how the warning about them ends: what to do instead. */
export const storedOnlyKinds: ReadonlyMap<string, string> = new Map([
  ['VirtualMachineBackup', ', and nothing is copied. "steadyvm backup --disks" copies all disks of a machine'],
  ['VirtualMachineBackupTracker', ''],
  ['ObjectTransfer', ', and nothing moves. A DataVolume with the claim as its source copies it to another namespace'],
  ['Plugin', ''],
])
