import { isJsonObject, setOwnInto } from '#apimachinery/own-property.ts'

/** Type of a value in a catalog, as far as opm decodes it. */
export type Shape =
  | 'any'
  | 'text'
  | 'flag'
  /** Base64. */
  | 'bytes'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> }

/** Receives what is wrong with a value, with the path of the field. */
export interface ShapeReports {
  readonly problem: (at: string, what: string) => void
  /** A field that has no meaning for opm. */
  readonly unknown?: (at: string) => void
}

/**
 * Checks a value of a file, and returns it with the names of fields as opm knows them: Go's decoder
 * ignores their case, and takes null for absent. Pure but for the reports.
 */
export function decodeShape(value: unknown, shape: Shape, at: string, reports: ShapeReports): unknown {
  if (value === null || value === undefined || shape === 'any') return value ?? undefined
  if (shape === 'text' || shape === 'flag' || shape === 'bytes') {
    const wanted = shape === 'flag' ? 'boolean' : 'string'
    if (typeof value !== wanted) {
      const quotes = wanted === 'string' && typeof value !== 'object' ? ': it needs quotes' : ''
      reports.problem(at, `must be a ${wanted}, and is ${describe(value)}${quotes}`)
      return undefined
    }
    if (shape === 'bytes' && typeof value === 'string' && !isBase64(value)) reports.problem(at, 'must be base64')
    return value
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) {
      reports.problem(at, `must be a list, and is ${describe(value)}`)
      return undefined
    }
    return mapped(value, (item, index) => decodeShape(item, shape.list, `${at}[${index}]`, reports) ?? emptyOf(shape.list))
  }
  if (!isJsonObject(value)) {
    reports.problem(at, `must be an object, and is ${describe(value)}`)
    return undefined
  }
  return 'map' in shape ? decodeMap(value, shape.map, at, reports) : decodeFields(value, shape.fields, at, reports)
}

function decodeMap(value: Record<string, unknown>, shape: Shape, at: string, reports: ShapeReports): unknown {
  for (const [key, item] of Object.entries(value)) decodeShape(item, shape, `${at}.${key}`, reports)
  return value
}

function decodeFields(
  value: Record<string, unknown>,
  fields: Readonly<Record<string, Shape>>,
  at: string,
  reports: ShapeReports,
): Record<string, unknown> {
  const decoded: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const name = Object.hasOwn(fields, key) ? key : (Object.keys(fields).find((field) => field.toLowerCase() === key.toLowerCase()) ?? key)
    const shape = fields[name]
    if (shape === undefined || !Object.hasOwn(fields, name)) {
      reports.unknown?.(`${at}.${key}`)
      setOwnInto(decoded, key, item)
      continue
    }
    const kept = decodeShape(item, shape, `${at}.${name}`, reports)
    if (kept !== undefined || shape === 'any') decoded[name] = kept ?? null
  }
  return decoded
}

/** Keeps the list when nothing in it has changed. */
function mapped(list: readonly unknown[], change: (item: unknown, index: number) => unknown): readonly unknown[] {
  const changed = list.map(change)
  return changed.some((item, index) => item !== list[index]) ? changed : list
}

/** What Go has in a list in place of null. */
function emptyOf(shape: Shape): unknown {
  if (shape === 'any') return null
  if (typeof shape === 'string') return shape === 'flag' ? false : ''
  return 'list' in shape ? [] : {}
}

function isBase64(text: string): boolean {
  // Go's decoder skips line breaks, and no other space.
  const compact = text.replaceAll(/[\r\n]/g, '')
  if (compact.length % 4 !== 0 || /[ \t\f]/.test(compact)) return false
  try {
    Uint8Array.fromBase64(compact)
    return true
  } catch {
    return false
  }
}

/** Names a value in a message. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return value === null ? 'null' : 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
