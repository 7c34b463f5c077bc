import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { compareQuantities, isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import type { Expansion } from '#features/instancetype/index.ts'
import type { PlannedConfig } from './planned-config.ts'
import { leavesOf } from './leaves.ts'

/** How one value of a VMI changes. */
export interface ClassifiedField {
  readonly path: string
  readonly old: unknown
  readonly new: unknown
  readonly kind: 'live' | 'restart'
}

/** What it takes to bring a guest from one expansion to another. */
export interface Classification {
  readonly kind: 'unchanged' | 'live' | 'restart'
  readonly fields: readonly ClassifiedField[]
}

/** Every value in which two expansions differ, and whether a running guest can take it. */
export function classify(
  before: Expansion,
  after: Expansion,
  vmi: VirtualMachineInstance | undefined,
  config: PlannedConfig,
): Classification {
  const [old, wanted] = [leavesOf(before.vmi), leavesOf(after.vmi)]
  const paths = [...new Set([...old.keys(), ...wanted.keys()])].filter((path) => !isSame(old.get(path), wanted.get(path)))
  const isLiveUpdate = config.rolloutStrategy === 'LiveUpdate'
  const fields = paths.map((path) => {
    const change = { path, old: old.get(path), new: wanted.get(path) }
    const isLive = isLiveUpdate && (follows(path, after) || canChangeLive(change, vmi))
    return { ...change, kind: isLive || path.startsWith('metadata.') ? ('live' as const) : ('restart' as const) }
  })
  if (fields.length === 0) return { kind: 'unchanged', fields }
  return { kind: fields.every(({ kind }) => kind === 'live') ? 'live' : 'restart', fields }
}

function isSame(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || JSON.stringify(a) === JSON.stringify(b)
}

/** Values that are computed from others: they follow without being a change of their own. */
function follows(path: string, { sources }: Expansion): boolean {
  return (path === 'spec.domain.cpu.maxSockets' || path === 'spec.domain.memory.maxGuest') && sources.get(path) === 'default'
}

function canChangeLive({ path, old, new: wanted }: Omit<ClassifiedField, 'kind'>, vmi: VirtualMachineInstance | undefined): boolean {
  if (/^spec\.(nodeSelector|affinity|tolerations)\b/.test(path)) return true
  const domain = vmi?.spec.domain
  if (path === 'spec.domain.cpu.sockets') {
    return vmi?.spec.architecture !== 'arm64' && Number(wanted) > Number(old) && Number(wanted) <= (domain?.cpu?.maxSockets ?? 0)
  }
  if (path !== 'spec.domain.memory.guest' && path !== 'spec.domain.resources.requests.memory') return false
  if (domain?.memory?.maxGuest === undefined || !isQuantity(old as string) || !isQuantity(wanted as string)) return false
  const [from, to, most] = [old as string, wanted as string, domain.memory.maxGuest].map((size) => parseQuantity(size))
  return from !== undefined && to !== undefined && most !== undefined && compareQuantities(to, from) > 0 && compareQuantities(to, most) <= 0
}
