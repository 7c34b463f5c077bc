import { isJsonObject } from '#apimachinery/own-property.ts'
import type { BundleProperty, CatalogObject } from './catalog.ts'
import { readDocuments } from './read-documents.ts'
import { objectSchemas, propertySchemas } from './schemas.ts'
import { decodeShape, describe, type Shape } from './shape.ts'

/** A file of a catalog. */
export interface CatalogFile {
  /** As messages name it; empty when the text comes from no file. */
  readonly path: string
  readonly text: string
}

/** A part of a catalog that opm ignores in silence. */
export interface IgnoredPart {
  /** File and line of the object. */
  readonly place: string
  /** Schema and name of the object. */
  readonly object: string
  readonly what: string
  readonly package: string
}

/** Objects of a catalog, and what opm makes of the rest. */
export interface CatalogContents {
  readonly objects: readonly CatalogObject[]
  readonly ignored?: readonly IgnoredPart[]
  /** Files and lines of documents without content: opm refuses them. */
  readonly blanks?: readonly string[]
}

/** A text is no file-based catalog. */
export class CatalogUnreadable extends Error {
  override readonly name = 'CatalogUnreadable'
  /** Every problem, with its file and line. */
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    const shown = problems.slice(0, 20)
    super([...shown, ...(problems.length > shown.length ? [`${problems.length - shown.length} further problems`] : [])].join('; '))
    this.problems = problems
  }
}

/**
 * Reads a catalog: documents of YAML, or JSON objects in a row as opm prints them.
 *
 * @throws CatalogUnreadable
 */
export function readCatalog(text: string): readonly CatalogObject[] {
  return readCatalogFiles([{ path: '', text }]).objects
}

/**
 * Reads the files of a catalog with the types of fields that opm demands. Pure.
 *
 * @throws CatalogUnreadable with the problems of all files
 */
export function readCatalogFiles(files: Iterable<CatalogFile>): CatalogContents {
  const problems: string[] = []
  const ignored: IgnoredPart[] = []
  const blanks: string[] = []
  const objects = [...files].flatMap(({ path, text }): readonly CatalogObject[] =>
    [...readDocuments(text)].flatMap((document): readonly CatalogObject[] => {
      const place = `${path === '' ? 'line ' : `${path}:`}${document.line}`
      if ('problem' in document) {
        problems.push(`${place}: the document ${document.problem}`)
        return []
      }
      if ('isBlank' in document) {
        blanks.push(place)
        return []
      }
      const object = decodeObject(document.value, place, problems, ignored)
      if (object === undefined) return []
      const { schema, name = '', package: owner = '' } = object
      for (const key of document.repeated ?? [])
        ignored.push({
          place,
          object: titleOf(schema, name),
          what: `the key "${key}" is there more than once, and the last one counts`,
          package: owner,
        })
      return [object]
    }),
  )
  if (problems.length > 0) throw new CatalogUnreadable(problems)
  return { objects, ignored, blanks }
}

function decodeObject(value: unknown, place: string, problems: string[], ignored: IgnoredPart[]): CatalogObject | undefined {
  const problem = (at: string, what: string): void => void problems.push(`${place}: ${at === '' ? 'the document' : at} ${what}`)
  if (!isJsonObject(value)) {
    problem('', `must be an object with a "schema", and is ${describe(value)}`)
    return undefined
  }
  const repeated = repeatedKeys(value)
  if (repeated !== undefined) {
    problem('', `has "${repeated[0]}" and "${repeated[1]}", which are one field to opm`)
    return undefined
  }
  const before = problems.length
  for (const [key, text] of Object.entries(value))
    if (/^(schema|package|name)$/i.test(key) && typeof text !== 'string')
      problem(key, `must be a string, and is ${describe(text)}${text === null || typeof text === 'object' ? '' : ': it needs quotes'}`)
  if (problems.length > before) return undefined
  const known = decodeShape(value, identity, '', { problem: () => undefined }) as Partial<CatalogObject>
  const { schema = '', name = '', package: owner = '' } = known
  if (schema === '') {
    problem('', 'has no "schema"')
    return undefined
  }
  const object = titleOf(schema, name)
  const ignore = (what: string): void => void ignored.push({ place, object, what, package: schema === 'olm.package' ? name : owner })
  const shape = objectSchemas[schema]
  if (shape === undefined || !Object.hasOwn(objectSchemas, schema)) {
    if (schema.startsWith('olm.')) ignore(`it is no part of a catalog${templateHint(schema)}`)
    return { ...known, schema }
  }
  const decoded = decodeShape(value, shape, '', {
    problem: (at, what) => problem(`${object}: ${at.slice(1)}`, what),
    unknown: (at) => ignore(`unknown field ${at.slice(1)}`),
  }) as CatalogObject & { readonly properties?: readonly BundleProperty[] }
  if (schema === 'olm.bundle')
    for (const [index, property] of (decoded.properties ?? []).entries()) {
      const wrong = property.type === 'olm.bundle.object' ? bundleObjectProblem(property.value) : undefined
      if (wrong !== undefined) problem(`${object}: properties[${index}].value`, wrong)
    }
  return decoded
}

function titleOf(schema: string, name: string): string {
  return `${schema}${name === '' ? '' : ` "${name}"`}`
}

function templateHint(schema: string): string {
  return /^olm\.(template\.|semver)/.test(schema) ? ', but a template: "opm alpha render-template" makes a catalog of it' : ''
}

const identity: Shape = { fields: { schema: 'text', package: 'text', name: 'text' } }

function repeatedKeys(value: Record<string, unknown>): readonly [string, string] | undefined {
  const seen = new Map<string, string>()
  for (const key of Object.keys(value)) {
    const other = seen.get(key.toLowerCase())
    if (other !== undefined) return [other, key]
    seen.set(key.toLowerCase(), key)
  }
  return undefined
}

/** A bundle in an old format has its objects in its properties, and opm reads them at once. */
function bundleObjectProblem(value: unknown): string | undefined {
  const found: string[] = []
  const report = (at: string, what: string): void => void found.push(`${at.slice(1) === '' ? 'it' : at.slice(1)} ${what}`)
  const decoded = decodeShape(value, propertySchemas['olm.bundle.object'] ?? 'any', '', { problem: report })
  if (value === undefined) report('', 'must not be absent')
  const [first] = found
  if (first !== undefined) return first
  const data = isJsonObject(decoded) && typeof decoded['data'] === 'string' ? decoded['data'] : ''
  const text = new TextDecoder().decode(Uint8Array.fromBase64(data.replaceAll(/[\r\n]/g, '')))
  for (const document of readDocuments(text)) if ('problem' in document) return `data ${document.problem}`
  return undefined
}
