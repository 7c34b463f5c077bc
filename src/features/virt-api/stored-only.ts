/** Kinds that nothing acts on yet, and how the warning about them ends: what to do instead. */
export const storedOnlyKinds: ReadonlyMap<string, string> = new Map([
  ['VirtualMachineExport', ', and nothing can be downloaded'],
  ['VirtualMachineBackup', ', and nothing is copied. "steadyvm backup --disks" copies all disks of a machine'],
  ['VirtualMachineBackupTracker', ''],
  ['Plugin', ''],
])
