import type { StructuralSchema } from '../schema.ts'

const steps = /\.([^.[\]']+)|\['((?:[^'\\]|\\.)*)'\]/gy

/**
 * Reads the `fieldPath` of a rule, such as `.spec.names['a.b']`, and gives it as Kubernetes prints
 * paths; undefined when it does not lead to a field of the schema.
 */
export function normaliseFieldPath(path: string, schema: StructuralSchema): string | undefined {
  let at: StructuralSchema | undefined = schema
  let result = ''
  let end = 0
  for (const [whole, plain, quoted] of path.matchAll(steps)) {
    const name: string = plain ?? (quoted ?? '').replaceAll(/\\(.)/g, '$1')
    end += whole.length
    const { properties, additionalProperties }: StructuralSchema = at ?? {}
    if (properties !== undefined) {
      at = Object.hasOwn(properties, name) ? properties[name] : undefined
      result += result === '' ? name : `.${name}`
    } else {
      at = typeof additionalProperties === 'object' ? additionalProperties : undefined
      result += `[${name}]`
    }
    if (at === undefined) return undefined
  }
  return end === path.length ? result : undefined
}
