import type { PublishedSchema } from '#apiserver/openapi/meta-schemas.ts'

/** Schemas by name, as in `/openapi/v2`. */
export type Definitions = Readonly<Record<string, PublishedSchema>>

const gvk = 'x-kubernetes-group-version-kind'
const prefix = '#/definitions/'
/** Limits of definitions per group version and of nesting, far above real APIs. */
const countLimit = 2000
const depthLimit = 64

const plainKeywords: ReadonlySet<string> = new Set(['description', 'enum', 'format', 'required', 'title', 'type'])

type Json = Readonly<Record<string, unknown>>
function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

/** Copies the supported parts of a schema. */
function clean(value: unknown, depth: number, refer: (name: string) => void): PublishedSchema {
  const result: Record<string, unknown> = {}
  if (depth > depthLimit) return result
  for (const [key, item] of Object.entries(record(value))) {
    if (key === '$ref' && typeof item === 'string' && item.startsWith(prefix)) {
      refer(item.slice(prefix.length))
      result[key] = item
    } else if (key === 'properties')
      result[key] = Object.fromEntries(Object.entries(record(item)).map(([name, child]) => [name, clean(child, depth + 1, refer)]))
    else if (key === 'items') result[key] = clean(item, depth + 1, refer)
    else if (key === 'additionalProperties') result[key] = typeof item === 'boolean' ? item : clean(item, depth + 1, refer)
    else if (plainKeywords.has(key) || key.startsWith('x-kubernetes-')) result[key] = item
  }
  return result
}

/**
 * Returns the schemas of a group version in a Swagger document, and those they refer to. Throws for
 * invalid JSON.
 */
export function definitionsOf(document: Buffer, group: string, version: string): Definitions {
  const all = record(record(JSON.parse(document.toString()))['definitions'])
  const isOurs = (schema: unknown): boolean => {
    const kinds = record(schema)[gvk]
    return Array.isArray(kinds) && kinds.some((kind) => record(kind)['group'] === group && record(kind)['version'] === version)
  }
  const due = Object.keys(all).filter((name) => isOurs(all[name]))
  const seen = new Set(due)
  const result: Record<string, PublishedSchema> = {}
  for (let name = due.pop(); name !== undefined && seen.size <= countLimit; name = due.pop()) {
    result[name] = clean(all[name], 0, (next) => {
      if (seen.has(next) || !Object.hasOwn(all, next)) return
      seen.add(next)
      due.push(next)
    })
  }
  return result
}
