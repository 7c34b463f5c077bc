import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'

/** Unsupported fields below `spec.domain`, with the reason. */
const limits: readonly (readonly [string, (spec: VirtualMachineInstanceSpec) => unknown, string])[] = [
  ['cpu.dedicatedCpuPlacement', ({ domain }) => domain.cpu?.dedicatedCpuPlacement === true, 'nodes here give no guest CPUs of its own'],
  ['cpu.isolateEmulatorThread', ({ domain }) => domain.cpu?.isolateEmulatorThread === true, 'nodes here give no guest CPUs of its own'],
  [
    'cpu.numa',
    ({ domain }) => domain.cpu?.numa?.guestMappingPassthrough,
    'guests here are not pinned to CPUs whose layout they could mirror',
  ],
  ['cpu.realtime', ({ domain }) => domain.cpu?.realtime, 'nodes here have no real-time scheduling for guests'],
  ['devices.gpus', ({ domain }) => domain.devices.gpus?.length, 'nodes here offer no GPUs'],
  ['devices.hostDevices', ({ domain }) => domain.devices.hostDevices?.length, 'nodes here offer no devices'],
  ['devices.autoattachVSOCK', ({ domain }) => domain.devices.autoattachVSOCK === true, 'nodes here have no vsock'],
  ['launchSecurity', ({ domain }) => domain.launchSecurity, 'the CPUs of this node cannot protect a guest from it'],
]

/**
 * @throws UnsupportedGuest for the first unsupported field: silently dropping it would mislead the
 * owner
 */
export function checkLimits(spec: VirtualMachineInstanceSpec): void {
  for (const [field, isWanted, why] of limits) {
    const wish = isWanted(spec)
    if (wish !== undefined && wish !== false && wish !== 0) throw new UnsupportedGuest(`${why}: spec.domain.${field}`)
  }
}
