import { deepEqual } from '#apimachinery/equality.ts'
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, subtractQuantities } from '#apimachinery/quantity.ts'
import type { ResourceRequirements } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { guestSizeOf, launcherLimits, launcherRequests, type LauncherConfig } from '../launcher/launcher-resources.ts'
import { names } from '../names.ts'
import { activeMigration } from '../status/active-migration.ts'

type Amount = string | number
type Amounts = Record<string, Amount>

/** Container of a launcher pod that becomes QEMU. */
export const computeContainer = 'compute'

/** What a launcher pod lacks to be of the size of its guest. */
export interface PodResize {
  /**
   * Resources that its container gets; undefined when it has them, and only the note is missing.
   */
  readonly resources?: ResourceRequirements
  /** Size of the guest, noted on the pod once it has the resources. */
  readonly size: string
}

/**
 * Returns how the launcher pod of a running guest has to change because sockets or memory of its
 * VMI have changed. Undefined when it is for this size already; for another configuration of the
 * cluster it stays as it is. Left alone are pods of releases that note no size, guests that
 * migrate, as the target pod has the new size, and guests that have yet to give memory back. Pure.
 */
export function resizeOf(vmi: VirtualMachineInstance, pod: Pod, config: LauncherConfig): PodResize | undefined {
  const size = guestSizeOf(vmi.spec)
  const noted = pod.metadata.annotations?.[names.guestSizeAnnotation]
  if (noted === undefined || noted === size || activeMigration(vmi) !== undefined || holdsMore(vmi)) return undefined
  const current = pod.spec.containers.find(({ name }) => name === computeContainer)?.resources
  if (current === undefined) return undefined
  const resources = resized(vmi.spec, current, pod.status?.qosClass, config)
  return deepEqual(resources, current) ? { size } : { resources, size }
}

/**
 * Reports whether the guest has more memory than its VMI requests: it gives it back in its own
 * time.
 */
function holdsMore({ spec, status }: VirtualMachineInstance): boolean {
  const [wanted, has] = [spec.domain.memory?.guest, status?.memory?.guestCurrent]
  return wanted !== undefined && has !== undefined && compareQuantities(parseQuantity(has), parseQuantity(wanted)) > 0
}

/**
 * Keeps what the API server does not let change: the class, and memory limits that would shrink.
 */
function resized(
  spec: VirtualMachineInstanceSpec,
  current: ResourceRequirements,
  qosClass: string | undefined,
  config: LauncherConfig,
): ResourceRequirements {
  const wanted = launcherRequests(spec, config)
  const own = launcherLimits(spec)
  const requests: Amounts = { ...current.requests }
  const limits: Amounts = { ...current.limits }
  for (const name of ['cpu', 'memory'] as const) {
    const request = wanted[name] ?? '0'
    requests[name] = sameOr(requests[name], request)
    const limit = limits[name]
    if (limit === undefined) continue
    // The default of a LimitRange leaves the guest as much above its request as before.
    const grown = name === 'memory' ? shifted(limit, current.requests?.[name], request) : limit
    limits[name] = largest(limit, own[name] ?? grown, request)
    if (qosClass === 'Guaranteed') requests[name] = limits[name]
  }
  return { ...current, requests, ...(current.limits === undefined ? {} : { limits }) }
}

function shifted(limit: Amount, before: Amount = '0', after: Amount): Amount {
  const difference = subtractQuantities(parseQuantity(after), parseQuantity(before))
  return formatQuantity(addQuantities(parseQuantity(limit), difference))
}

/** Keeps the notation of a quantity that has not changed. */
function sameOr(old: Amount | undefined, next: Amount): Amount {
  return old !== undefined && compareQuantities(parseQuantity(old), parseQuantity(next)) === 0 ? old : next
}

function largest(first: Amount, ...others: readonly Amount[]): Amount {
  return others.reduce((most, other) => (compareQuantities(parseQuantity(other), parseQuantity(most)) > 0 ? other : most), first)
}
