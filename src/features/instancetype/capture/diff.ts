import { isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import { leavesOf, sameLeaf } from '../leaves.ts'

/** One value that differs between two documents; undefined where it is absent. */
export interface Change {
  /** Path as in the sources of an expansion: `spec.domain.cpu.sockets`. */
  readonly path: string
  readonly old: unknown
  readonly new: unknown
}

/**
 * Returns the differences between two documents, leaf by leaf. Quantities are compared by value; an
 * empty list or map equals an absent one.
 */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const [old, now] = [leavesOf(before), leavesOf(after)]
  const paths = [...old.keys(), ...[...now.keys()].filter((path) => !old.has(path))]
  return paths.map((path) => ({ path, old: presentIn(old, path, now), new: presentIn(now, path, old) })).filter((change) => !isSame(change))
}

/**
 * Paths of quantities in VMIs and instance types. Elsewhere `"1"` and `"1.0"` differ, as in
 * `hostname`.
 */
const quantityPath = /(^|\.)(memory\.(guest|maxGuest)|(requests|limits)[.[].+|capacity|pageSize)$/
/**
 * Maps whose empty value means the same as none. Other empty objects, such as `rng: {}`, enable
 * something.
 */
const mapPath = /^$|(^|\.)(annotations|labels|nodeSelector|requests|limits|resources)$/

/** Numbers whose zero means unset: some API versions write it, others omit it. */
const zeroIsNone = /(^|\.)(overcommitPercent|preferSpreadSocketToCoreRatio)$/

/**
 * Returns the leaf, or undefined if it is empty, or a container that has leaves in the other
 * document.
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
