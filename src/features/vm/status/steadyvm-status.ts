import type { PinnedHardwareStatus, VirtualMachine, VirtualMachineSteadyStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import {
  changesBetween,
  liveInCache,
  type Expansion,
  type Family,
  type Found,
  type Instancetype,
  type Preference,
} from '#features/instancetype/index.ts'
import type { Ports } from '../ports.ts'
import type { Prepared } from '../revisions/pin.ts'

/** Computes steadyvm's extension of the VM status. Fields that capture has recorded are kept. */
export function steadyvmStatus(ports: Pick<Ports, 'lookup'>, { vm, inForce, expansion }: Prepared): VirtualMachineSteadyStatus | undefined {
  const old = vm.status?.steadyvm
  if (inForce === undefined || expansion === undefined) return old
  const { instancetype: _i, preference: _p, resources: _r, ...rest } = old ?? {}
  const status: VirtualMachineSteadyStatus = {
    ...rest,
    ...familyStatus(ports, vm, 'instancetype', inForce.instancetype),
    ...familyStatus(ports, vm, 'preference', inForce.preference),
    resources: resourcesOf(expansion),
  }
  return status
}

function familyStatus(
  { lookup }: Pick<Ports, 'lookup'>,
  vm: VirtualMachine,
  family: Family,
  found: Found<Instancetype | Preference> | undefined,
): Partial<Record<Family, PinnedHardwareStatus>> {
  const { newerGeneration: _, ...rest } = vm.status?.steadyvm?.[family] ?? {}
  const live = liveInCache(lookup, vm, family) as Instancetype | Preference | undefined
  const newer = live !== undefined && found !== undefined && isNewer(live, found.object) ? live.metadata.generation : undefined
  const next = { ...rest, ...(newer === undefined ? {} : { newerGeneration: newer }) }
  return Object.keys(next).length === 0 ? {} : { [family]: next }
}

/**
 * Reports whether the live object differs from the pinned one and is newer; a recreated object
 * counts as newer whatever its generation.
 */
function isNewer(live: Instancetype | Preference, pinned: Instancetype | Preference): boolean {
  const isLater = live.metadata.uid !== pinned.metadata.uid || (live.metadata.generation ?? 0) > (pinned.metadata.generation ?? 0)
  return isLater && changesBetween(pinned.spec, live.spec).length > 0
}

function resourcesOf({ vmi }: Expansion): NonNullable<VirtualMachineSteadyStatus['resources']> {
  const { cpu, memory } = vmi.spec.domain
  return {
    sockets: cpu?.sockets ?? 1,
    cores: cpu?.cores ?? 1,
    threads: cpu?.threads ?? 1,
    ...(memory?.guest === undefined ? {} : { memory: memory.guest }),
  }
}
