import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, when } from '../cause.ts'

/** Hardware below `spec.domain` that no node can give a guest, with the reason. */
const unavailable: readonly {
  readonly field: string
  readonly isWanted: (domain: VirtualMachineInstanceSpec['domain']) => boolean
  readonly why: string
}[] = [
  {
    field: 'cpu.dedicatedCpuPlacement',
    isWanted: ({ cpu }) => cpu?.dedicatedCpuPlacement === true,
    why: 'no node assigns CPUs to a single guest',
  },
  {
    field: 'cpu.isolateEmulatorThread',
    isWanted: ({ cpu }) => cpu?.isolateEmulatorThread === true,
    why: 'no node assigns CPUs to a single guest',
  },
  {
    field: 'cpu.numa',
    isWanted: ({ cpu }) => cpu?.numa?.guestMappingPassthrough !== undefined,
    why: 'no guest is pinned to CPUs whose layout it could mirror',
  },
  {
    field: 'cpu.realtime',
    isWanted: ({ cpu }) => cpu?.realtime !== undefined,
    why: 'no node schedules guests in real time',
  },
  { field: 'devices.gpus', isWanted: ({ devices }) => (devices.gpus ?? []).length > 0, why: 'no node offers GPUs' },
  { field: 'devices.hostDevices', isWanted: ({ devices }) => (devices.hostDevices ?? []).length > 0, why: 'no node offers host devices' },
  { field: 'devices.autoattachVSOCK', isWanted: ({ devices }) => devices.autoattachVSOCK === true, why: 'no node offers vsock' },
  {
    field: 'launchSecurity',
    isWanted: ({ launchSecurity }) => launchSecurity !== undefined,
    why: 'the CPUs of this node cannot protect a guest from it',
  },
]

/**
 * Returns causes for hardware that no node can give a guest: silently leaving it out would mislead
 * the owner, and a node would refuse the guest only after it was placed there.
 */
export function validateAvailable({ domain }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  return unavailable.flatMap(({ field, isWanted, why }) =>
    when(isWanted(domain), invalidValue(`${base}.domain.${field}`, `${why}: ${base}.domain.${field}`)),
  )
}
