import { conflictAt, type InstancetypePart } from './draft.ts'

/** Sets GPUs. */
export const applyGpusInto: InstancetypePart = (draft, instancetype) => {
  const gpus = instancetype.gpus ?? []
  if (gpus.length === 0) return []
  const { devices } = draft.spec.domain
  if ((devices.gpus ?? []).length > 0) return [conflictAt('domain.devices.gpus')]
  devices.gpus = structuredClone(gpus)
  return []
}

/** Sets other host devices. */
export const applyHostDevicesInto: InstancetypePart = (draft, instancetype) => {
  const hostDevices = instancetype.hostDevices ?? []
  if (hostDevices.length === 0) return []
  const { devices } = draft.spec.domain
  if ((devices.hostDevices ?? []).length > 0) return [conflictAt('domain.devices.hostDevices')]
  devices.hostDevices = structuredClone(hostDevices)
  return []
}
