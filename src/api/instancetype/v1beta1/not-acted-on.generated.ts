// Made by tools/generate from the `@notActedOn` markers. Do not edit: run `npm run generate`.
// Fields that are kept but that nothing here acts on yet, as paths below the spec; `[]` stands for any item.

export const instancetypeFieldsNotActedOn: readonly string[] = [
  'cpu.dedicatedCPUPlacement',
  'cpu.isolateEmulatorThread',
  'cpu.numa',
  'cpu.realtime',
  'gpus',
  'hostDevices',
  'launchSecurity',
]

export const preferenceFieldsNotActedOn: readonly string[] = [
  'devices.preferredDiskBlockSize.matchVolume',
  'devices.preferredNetworkInterfaceMultiQueue',
  'devices.preferredVirtualGPUOptions',
  'features.preferredHyperv.tlbflush.direct',
  'features.preferredHyperv.tlbflush.extended',
  'preferredLaunchSecurity',
]
