import { conflictAt, type InstancetypePart } from './draft.ts'

/** Graphics processors. */
export const applyGpusInto: InstancetypePart = (draft, instancetype) => {
  const gpus = instancetype.gpus ?? []
  if (gpus.length === 0) return []
  const { devices } = draft.spec.domain
  if ((devices.gpus ?? []).length > 0) return [conflictAt('domain.devices.gpus')]
  devices.gpus = structuredClone(gpus)
  return []
}

/** Other devices of the host. */
export const applyHostDevicesInto: InstancetypePart = (draft, instancetype) => {
  const hostDevices = instancetype.hostDevices ?? []
  if (hostDevices.length === 0) return []
  const { devices } = draft.spec.domain
  if ((devices.hostDevices ?? []).length > 0) return [conflictAt('domain.devices.hostDevices')]
  devices.hostDevices = structuredClone(hostDevices)
  return []
}
