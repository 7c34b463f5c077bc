import type { CelType } from '../types/types.ts'
import { addSizes, capped, exactly, most, multiplySizes, scaled, type Size } from './size.ts'

/** A call of a function, as far as its price is concerned. */
export interface PricedCall {
  /** cel-go's name of the overload. */
  readonly overload: string
  /** Receiver of a method call. */
  readonly target: Operand | undefined
  readonly args: readonly Operand[]
}

/** An argument or a receiver. */
export interface Operand {
  readonly size: Size
  readonly type: CelType
  /** The size of its items, where it is a list. */
  readonly itemSize: Size
  /** Its value, where it is a whole number in the source. */
  readonly integer: number | undefined
}

/** Maximum cost of a call and size of its result. */
export interface CallEstimate {
  readonly cost: number
  readonly size?: Size
}

type Estimator = (call: PricedCall) => CallEstimate | undefined

const traversalFactor = 0.1
const regexFactor = 0.25
const longestFormat = 128

const one: Estimator = () => ({ cost: 1 })
/** Reading the first argument. */
const readsArgument =
  (times = 1): Estimator =>
  ({ args: [text] }) =>
    text === undefined ? undefined : { cost: scaled(text.size, traversalFactor * times) }

/** Charges for reading the receiver; the result is no longer than it. */
const readsTarget: Estimator = ({ target }) =>
  target === undefined ? undefined : { cost: scaled(target.size, traversalFactor), size: target.size }

const check: Estimator = () => ({ cost: 350_000 })

const selector: Estimator = ({ args: [text] }) => {
  if (text === undefined) return undefined
  const requirements = { min: 0, max: scaled(text.size, 0.5) }
  return { cost: capped(10 + scaled(text.size, traversalFactor) + scaled(requirements, 50)) }
}

const isText = ({ kind }: CelType): boolean => kind === 'string' || kind === 'bytes'

/** Compares every item of a list, or reads a text. */
const walks: Estimator = ({ target }) => {
  if (target === undefined) return undefined
  if (target.type.kind !== 'list') return { cost: scaled(target.size, traversalFactor) }
  const perItem = 1 + (isText(target.type.element) ? scaled(target.itemSize, traversalFactor) : 0)
  return { cost: capped(target.size.max * capped(perItem)) }
}

const replaces: Estimator = ({ target, args: [from, to] }) => {
  if (target === undefined || from === undefined || to === undefined) return undefined
  const { max } = target.size
  let times = 0
  let kept = 0
  if (from.size.min === 0) {
    times = capped(max + 1)
    kept = max
  } else if (to.size.max <= from.size.min) kept = max
  else times = Math.ceil(max / from.size.min)
  const size = { min: 0, max: capped(capped(times * to.size.max) + kept) }
  return { cost: scaled(target.size, 2 * traversalFactor), size }
}

const splits: Estimator = ({ target, args: [, limit] }) =>
  target === undefined
    ? undefined
    : { cost: scaled(target.size, 2 * traversalFactor), size: { min: 0, max: limit?.integer ?? target.size.max } }

const joins: Estimator = ({ target, args: [separator] }) => {
  if (target === undefined) return undefined
  const items = multiplySizes(target.size, target.itemSize)
  const separators = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) }
  const size = separator === undefined ? items : addSizes(items, multiplySizes(separator.size, separators))
  return { cost: scaled(size, traversalFactor), size }
}

function matchCost(text: Size, pattern: Size): number {
  return capped(scaled(addSizes(text, exactly(1)), traversalFactor) * scaled(pattern, regexFactor))
}

const finds: Estimator = ({ target, args: [pattern] }) =>
  target === undefined || pattern === undefined
    ? undefined
    : { cost: matchCost(target.size, pattern.size), size: { min: 0, max: target.size.max } }

const matches: Estimator = ({ target, args: [pattern] }) =>
  target === undefined || pattern === undefined ? undefined : { cost: matchCost(target.size, pattern.size) }

const contains: Estimator = ({ target, args: [part] }) =>
  target === undefined || part === undefined
    ? undefined
    : { cost: capped(scaled(target.size, traversalFactor) * scaled(part.size, traversalFactor)) }

const validates: Estimator = ({ args: [text] }) =>
  text === undefined ? undefined : { cost: capped(Math.ceil(scaled(text.size, traversalFactor) * longestFormat * regexFactor)) }

/** The prefix of a block is at most 16 bytes, compared byte by byte. */
const containsAddress =
  (extra: number): Estimator =>
  ({ overload, args: [text] }) => {
    if (text === undefined) return undefined
    const read = overload.endsWith('_string') ? Math.ceil(scaled(text.size, 1) * traversalFactor) : 0
    return { cost: capped(Math.ceil(32 * traversalFactor) + (extra === 0 ? 0 : Math.ceil(16 * traversalFactor) + extra) + read) }
  }

function allocated(factor: number, size: Size): CallEstimate {
  return { cost: capped(scaled(size, factor) + 1 + 10), size }
}

/** Every item with every other. */
function squared(list: Operand, isOfTexts: boolean): CallEstimate {
  const size = multiplySizes(list.size, list.size)
  return allocated(2 + (isOfTexts ? traversalFactor : 0), size)
}

const slices: Estimator = ({ target, args: [from, to] }) => {
  if (target === undefined) return undefined
  return allocated(1, exactly(Math.max(0, (to?.integer ?? target.size.max) - (from?.integer ?? 0))))
}

const sets =
  (factor: number): Estimator =>
  ({ args: [left, right] }) =>
    left === undefined || right === undefined ? undefined : { cost: capped(scaled(multiplySizes(left.size, right.size), factor) + 1) }

function table(names: string, estimator: Estimator): [string, Estimator][] {
  return names.split(' ').map((name) => [name, estimator])
}

/** Functions of Kubernetes, by name. */
export const byName: ReadonlyMap<string, Estimator> = new Map([
  ...table('check', check),
  ...table('serviceAccount path group resource subresource namespace name allowed reason error errored', one),
  ...table('fieldSelector labelSelector', selector),
  ...table('isSorted sum max min indexOf lastIndexOf', walks),
  ...table('url jsonpatch.escapeKey', (call) => {
    const cost = readsArgument()(call)
    const [text] = call.args
    return cost === undefined || text === undefined ? cost : { ...cost, size: text.size }
  }),
  ...table('lowerAscii upperAscii substring trim', readsTarget),
  ...table('replace', replaces),
  ...table('split', splits),
  ...table('join', joins),
  ...table('find findAll', finds),
  ...table('cidr isIP isCIDR quantity isQuantity semver isSemver', readsArgument()),
  ...table('ip', (call) => (call.overload === 'cidr_ip' ? { cost: 1 } : readsArgument()(call))),
  ...table('ip.isCanonical', readsArgument(2)),
  ...table('masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast', one),
  ...table('containsIP', containsAddress(0)),
  ...table('containsCIDR', containsAddress(1)),
  ...table('validate', validates),
  ...table('format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch', one),
  ...table('getScheme getHostname getHost getPort getEscapedPath getQuery', one),
])

const startsWith: Estimator = ({ args: [part] }) => (part === undefined ? undefined : { cost: scaled(part.size, traversalFactor) })

/** Types whose values are compared at constant cost. */
const flatEqualities: ReadonlySet<string> = new Set([
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'net.IP',
  'net.CIDR',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
])

const compares: Estimator = ({ overload, args: [left, right] }) =>
  left === undefined || right === undefined
    ? undefined
    : overload === 'equals' && left.type.kind === 'opaque' && right.type.kind === 'opaque' && left.type.name === right.type.name
      ? { cost: flatEqualities.has(left.type.name) ? 1 : scaled(left.size, traversalFactor) }
      : { cost: capped(Math.ceil(Math.min(left.size.max, right.size.max) * traversalFactor)) }

const adds: Estimator = ({ overload, args: [left, right] }) => {
  if (left === undefined || right === undefined) return undefined
  const size = addSizes(left.size, right.size)
  return { cost: overload === 'add_list' ? 1 : scaled(size, traversalFactor), size }
}

const comparisons = ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) => [`${name}_string`, `${name}_bytes`]).join(' ')

/** Functions of CEL itself and its extensions, by overload. */
export const byOverload: ReadonlyMap<string, Estimator> = new Map([
  ...table('starts_with_string ends_with_string', startsWith),
  ...table('in_list', ({ args: [, list] }) => (list === undefined ? undefined : { cost: list.size.max })),
  ...table('matches_string', matches),
  ...table('contains_string', contains),
  ...table(`equals not_equals ${comparisons}`, compares),
  ...table('add_string add_bytes add_list', adds),
  ...table('string_format', ({ target }) => (target === undefined ? undefined : { cost: scaled(target.size, traversalFactor) })),
  ...table('string_to_bytes', ({ args: [text] }) =>
    text === undefined
      ? undefined
      : { cost: scaled(text.size, traversalFactor), size: { min: text.size.min, max: capped(text.size.max * 4) } },
  ),
  ...table('bytes_to_string', ({ args: [bytes] }) =>
    bytes === undefined ? undefined : { cost: scaled(bytes.size, traversalFactor), size: { min: bytes.size.min / 4, max: bytes.size.max } },
  ),
  ...table('strings_quote', ({ args: [text] }) =>
    text === undefined
      ? undefined
      : { cost: scaled(text.size, traversalFactor), size: { min: text.size.min + 2, max: capped(text.size.max * 2 + 2) } },
  ),
  ...table('list_slice', slices),
  ...table('list_flatten', ({ target }) => (target === undefined ? undefined : allocated(1, target.size))),
  ...table('list_flatten_int', ({ target, args: [depth] }) =>
    target === undefined ? undefined : allocated(depth?.integer ?? most, target.size),
  ),
  ...table('lists_range', ({ args: [size] }) => allocated(1, exactly(size?.integer ?? most))),
  ...table('list_reverse', ({ target }) => (target === undefined ? undefined : allocated(1, target.size))),
  ...table('list_distinct', ({ target }) => (target === undefined ? undefined : squared(target, false))),
  ...['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'].flatMap((type): [string, Estimator][] => [
    [`list_${type}_sort`, ({ target }) => (target === undefined ? undefined : squared(target, type === 'string' || type === 'bytes'))],
    [
      `list_${type}_sortByAssociatedKeys`,
      ({ args: [, keys] }) => (keys === undefined ? undefined : squared(keys, type === 'string' || type === 'bytes')),
    ],
  ]),
  ...table('list_sets_contains_list list_sets_intersects_list', sets(1)),
  ...table('list_sets_equivalent_list', sets(2)),
])
