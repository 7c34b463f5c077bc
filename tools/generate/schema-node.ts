import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

/**
 * A structural schema that may build on a declaration's schema: fields beside `ref` add to it or
 * replace it.
 */
export interface SchemaNode extends Omit<StructuralSchema, 'properties' | 'items' | 'additionalProperties'> {
  /** Key of the declaration, see `keyOf`. */
  ref?: string
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  additionalProperties?: SchemaNode | boolean
}

/** The declarations that a node builds on. */
export function referencesOf(node: SchemaNode): readonly string[] {
  const children = [...Object.values(node.properties ?? {}), node.items, node.additionalProperties]
  const nested = children.flatMap((child) => (typeof child === 'object' ? [...referencesOf(child)] : []))
  return node.ref === undefined ? nested : [node.ref, ...nested]
}

/** Puts the declarations' schemas in place of the references. */
export function inlineReferences(node: SchemaNode, resolve: (ref: string) => SchemaNode): StructuralSchema {
  const { ref, ...own } = node
  const whole: SchemaNode = ref === undefined ? own : { ...resolve(ref), ...own }
  if (whole.ref !== undefined) return inlineReferences(whole, resolve)
  const { properties, items, additionalProperties, ...rest } = whole
  const schema: StructuralSchema = { ...rest }
  if (properties !== undefined) {
    schema.properties = Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, inlineReferences(child, resolve)]))
  }
  if (items !== undefined) schema.items = inlineReferences(items, resolve)
  if (typeof additionalProperties === 'object') schema.additionalProperties = inlineReferences(additionalProperties, resolve)
  else if (additionalProperties !== undefined) schema.additionalProperties = additionalProperties
  return schema
}

/** The same schema without descriptions. */
export function withoutDescriptions(schema: StructuralSchema): StructuralSchema {
  const { description: _, properties, items, additionalProperties, ...rest } = schema
  const bare: StructuralSchema = { ...rest }
  if (properties !== undefined) {
    bare.properties = Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, withoutDescriptions(child)]))
  }
  if (items !== undefined) bare.items = withoutDescriptions(items)
  if (additionalProperties !== undefined) {
    bare.additionalProperties = typeof additionalProperties === 'object' ? withoutDescriptions(additionalProperties) : additionalProperties
  }
  return bare
}
