import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { type Doc } from './doc-comment.ts'

/** Selects the markers that apply. */
export interface MarkerOptions {
  /** True if the schema is for a CustomResourceDefinition, which has no patch strategies. */
  readonly custom: boolean
  /** True if `@default` applies. */
  readonly defaults: boolean
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** `merge key=a,b` → `['merge', ['a', 'b']]` */
function wordAndKeys(text: string): [string, string[]] {
  const [word = '', keys = ''] = text.split(/\s+key=/)
  return [word, keys === '' ? [] : keys.split(',')]
}

type Reader = (text: string, options: MarkerOptions) => StructuralSchema

function numeric(
  key: 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties',
): Reader {
  return (text) => ({ [key]: Number(text) })
}

function listType(text: string): StructuralSchema {
  const [word, keys] = wordAndKeys(text)
  const type = word as 'atomic' | 'set' | 'map'
  return { 'x-kubernetes-list-type': type, ...(keys.length > 0 ? { 'x-kubernetes-list-map-keys': keys } : {}) }
}

function patchStrategy(text: string, options: MarkerOptions): StructuralSchema {
  if (options.custom) return {}
  const [strategy, [key]] = wordAndKeys(text)
  return { 'x-kubernetes-patch-strategy': strategy, ...(key === undefined ? {} : { 'x-kubernetes-patch-merge-key': key }) }
}

/** `self.a == self.b; a and b must be equal` → a CEL rule and its message; each line is a rule. */
function celRules(text: string): StructuralSchema {
  const rules = text.split('\n').map((line) => {
    const end = line.lastIndexOf(';')
    const [rule, message] = end < 0 ? [line, ''] : [line.slice(0, end).trim(), line.slice(end + 1).trim()]
    return message === '' ? { rule } : { rule, message }
  })
  return { 'x-kubernetes-validations': rules }
}

const readers: Readonly<Record<string, Reader>> = {
  default: (text, { defaults }) => (defaults ? { default: jsonOrText(text) } : {}),
  minimum: numeric('minimum'),
  maximum: numeric('maximum'),
  minLength: numeric('minLength'),
  maxLength: numeric('maxLength'),
  minItems: numeric('minItems'),
  maxItems: numeric('maxItems'),
  minProperties: numeric('minProperties'),
  maxProperties: numeric('maxProperties'),
  pattern: (text) => ({ pattern: text }),
  format: (text) => ({ format: text }),
  enum: (text) => ({ enum: text.split(',') }),
  nullable: () => ({ nullable: true }),
  listType,
  mapType: (text) => ({ 'x-kubernetes-map-type': text as 'atomic' | 'granular' }),
  patchStrategy,
  rule: celRules,
}

/** Markers that say something to others than the schema. */
const otherMarkers: ReadonlySet<string> = new Set(['optional', 'notActedOn', 'kind', 'preserveUnknownFields'])

/** A doc comment has an unknown marker: most likely a mistake. */
export class UnknownMarkerError extends Error {
  override readonly name = 'UnknownMarkerError'
}

/** Returns the schema that the markers of a doc comment add. */
export function schemaOfMarkers(doc: Doc, options: MarkerOptions): StructuralSchema {
  const schema: StructuralSchema = {}
  for (const [name, text] of doc.markers) {
    const read = readers[name]
    if (read !== undefined) Object.assign(schema, read(text, options))
    else if (!otherMarkers.has(name)) throw new UnknownMarkerError(`Marker "@${name}" is not known, in the comment "${doc.description}"`)
  }
  return schema
}
