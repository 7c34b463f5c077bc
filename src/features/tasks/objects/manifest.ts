import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { badInput } from '../exit-codes.ts'

/**
 * Reads the objects of a parameter: documents of YAML or JSON, and lists in them. @throws
 * TaskFailed
 */
export function parseManifests(parameter: string, text: string): readonly KubeObject[] {
  const documents = parseAllDocuments(text, { prettyErrors: true })
  return ('empty' in documents ? [] : documents).flatMap((document) => {
    const [problem] = document.errors
    if (problem !== undefined) throw badInput(`Parameter ${parameter} is no YAML: ${problem.message}`)
    let value: unknown
    try {
      value = document.toJS({ maxAliasCount: 100 })
    } catch (error) {
      throw badInput(`Parameter ${parameter} is no YAML: ${(error as Error).message}`)
    }
    return objectsIn(parameter, value)
  })
}

function objectsIn(parameter: string, value: unknown): readonly KubeObject[] {
  if (value === null || value === undefined) return []
  if (!isJsonObject(value) || typeof value['kind'] !== 'string' || typeof value['apiVersion'] !== 'string')
    throw badInput(`Parameter ${parameter} has a document without apiVersion and kind: ${JSON.stringify(value)?.slice(0, 100)}`)
  const { items, kind, metadata } = value
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap((item) => objectsIn(parameter, item))
  if (metadata !== undefined && !isJsonObject(metadata)) throw badInput(`Parameter ${parameter} has a ${kind} whose metadata is no object`)
  return [value as unknown as KubeObject]
}

/** Reads the one object of a parameter. @throws TaskFailed */
export function parseManifest(parameter: string, text: string): KubeObject {
  const [object, ...others] = parseManifests(parameter, text)
  if (object === undefined) throw badInput(`Parameter ${parameter} has no object`)
  if (others.length > 0) throw badInput(`Parameter ${parameter} must have one object, and has ${others.length + 1}`)
  return object
}
