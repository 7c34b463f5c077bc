import { isJsonObject } from '#apimachinery/own-property.ts'

/** Paths that strict decoding reports. */
export interface StrictFindings {
  readonly unknown: readonly string[]
  /** Duplicate keys. */
  readonly duplicates: readonly string[]
}

/**
 * Returns the messages of strict decoding in Kubernetes' order: of custom resources duplicates
 * first, of built-in kinds document order, with an unknown field only once. Pure.
 */
export function strictProblems(custom: boolean, object: object, { unknown, duplicates }: StrictFindings): readonly string[] {
  if (custom) return [...named('duplicate', duplicates), ...named('unknown', unknown)]
  const isUnknown = (path: string): boolean =>
    unknown.some((other) => path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`))
  const known = duplicates.filter((path) => !isUnknown(path))
  if (known.length === 0) return named('unknown', unknown)
  const said = [...unknown.map((path) => ['unknown', path] as const), ...known.map((path) => ['duplicate', path] as const)]
  const places = new Map<string, number>()
  number(object, '', places)
  const place = (path: string): number => places.get(path) ?? Infinity
  return said
    .toSorted(([, a], [, b]) => (place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0))
    .flatMap(([what, path]) => named(what, [path]))
}

function named(what: string, paths: readonly string[]): string[] {
  return paths.map((path) => `${what} field ${JSON.stringify(path)}`)
}

/** Numbers every path, parents first. */
function number(value: unknown, path: string, places: Map<string, number>): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => number(item, `${path}[${index}]`, places))
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const below = path === '' ? key : `${path}.${key}`
      places.set(below, places.size)
      number(item, below, places)
    }
  }
}
