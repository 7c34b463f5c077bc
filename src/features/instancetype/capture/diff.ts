import { isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import { leavesOf, sameLeaf } from '../leaves.ts'

/** One value that differs between two documents. Undefined: it is not there. */
export interface Change {
  /** `spec.domain.cpu.sockets`, as in the sources of an expansion. */
  readonly path: string
  readonly old: unknown
  readonly new: unknown
}

/**
 * What differs between two documents, leaf by leaf. Quantities are compared by value, and a list or
 * map that is empty counts as absent.
 */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const [old, now] = [leavesOf(before), leavesOf(after)]
  const paths = [...old.keys(), ...[...now.keys()].filter((path) => !old.has(path))]
  return paths.map((path) => ({ path, old: presentIn(old, path, now), new: presentIn(now, path, old) })).filter((change) => !isSame(change))
}

/**
 * Paths of quantities, in VMIs and in instance types. `hostname: "1"` is none, and differs from
 * `"1.0"`.
 */
const quantityPath = /(^|\.)(memory\.(guest|maxGuest)|(requests|limits)[.[].+|capacity|pageSize)$/
/**
 * Objects without order or meaning of their own: an empty one says as much as none. Others, such as
 * `rng: {}`, switch something on.
 */
const mapPath = /^$|(^|\.)(annotations|labels|nodeSelector|requests|limits|resources)$/

/** Numbers whose zero says as much as none: some versions write it, others leave it out. */
const zeroIsNone = /(^|\.)(overcommitPercent|preferSpreadSocketToCoreRatio)$/

/**
 * The leaf, unless it is empty in a way that says nothing, or stands for what the other document
 * has filled.
 */
function presentIn(leaves: ReadonlyMap<string, unknown>, path: string, other: ReadonlyMap<string, unknown>): unknown {
  const value = leaves.get(path)
  if (Array.isArray(value) || value === null || (value === 0 && zeroIsNone.test(path))) return undefined
  if (typeof value !== 'object') return value
  const isFilled = [...other.keys()].some((key) => key.startsWith(`${path}.`) || key.startsWith(`${path}[`))
  return isFilled || mapPath.test(path) ? undefined : value
}

function isSame({ path, old, new: now }: Change): boolean {
  if (old === undefined || now === undefined) return old === now
  if (sameLeaf(old, now)) return true
  if (!quantityPath.test(path)) return false
  const [a, b] = [old as string | number, now as string | number]
  return isQuantity(a) && isQuantity(b) && parseQuantity(a).nanos === parseQuantity(b).nanos
}
