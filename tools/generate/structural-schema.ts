import { type Declaration, type DeclarationIndex, type Property, SourceError, type TypeExpression } from './declaration.ts'
import { schemaOfMarkers } from './markers.ts'
import { withOverlay } from './overlay.ts'
import { scalarSchema } from './scalar-schema.ts'
import type { SchemaNode } from './schema-node.ts'

/** Consumer of the schemas. */
export interface Dialect {
  /**
   * True for CustomResourceDefinitions: no patch strategies, and string unions stay open, as
   * upstream's do (admission judges them).
   */
  readonly custom: boolean
  /** Reports whether `@default` markers of a file apply. */
  readonly defaultsOf: (file: string) => boolean
}

const scalarFile = 'src/api/scalars.ts'

/** Names a declaration across files. */
export function keyOf(declaration: Pick<Declaration, 'file' | 'name'>): string {
  return `${declaration.file}#${declaration.name}`
}

/**
 * Turns declarations into schemas of one dialect. Interfaces become references, everything else is
 * written out.
 */
export class SchemaBuilder {
  readonly #index: DeclarationIndex
  readonly #dialect: Dialect

  constructor(index: DeclarationIndex, dialect: Dialect) {
    this.#index = index
    this.#dialect = dialect
  }

  /**
   * The schema of an interface. Objects of the API (see `isApiObject`) get the metadata that their
   * dialect wants.
   */
  ofInterface(declaration: Declaration): SchemaNode {
    const doc = withOverlay(declaration.name, declaration.file, declaration.doc)
    const members = this.#index.propertiesOf(declaration)
    const required = members
      .filter(({ property }) => !property.optional && !property.doc.markers.has('optional'))
      .map(({ property }) => property.name)
    const properties = members.map(({ property, file }): [string, SchemaNode] => [
      property.name,
      this.#ofProperty(property, file, declaration),
    ])
    const node: SchemaNode = { type: 'object' }
    if (doc.description !== '') node.description = doc.description
    if (properties.length > 0) node.properties = Object.fromEntries(properties)
    const wanted = this.isApiObject(declaration) ? required.filter((name) => name !== 'metadata') : required
    if (wanted.length > 0) node.required = wanted
    if (doc.markers.has('preserveUnknownFields')) node['x-kubernetes-preserve-unknown-fields'] = true
    return { ...node, ...schemaOfMarkers(doc, this.#markerOptions(declaration.file)) }
  }

  /** Reports whether the interface is a kind, with apiVersion, kind and metadata. */
  isApiObject(declaration: Declaration): boolean {
    return declaration.alias === undefined && this.#index.inherits(declaration, 'ApiObject')
  }

  #markerOptions(file: string): { custom: boolean; defaults: boolean } {
    return { custom: this.#dialect.custom, defaults: this.#dialect.defaultsOf(file) }
  }

  #ofProperty(property: Property, file: string, owner: Declaration): SchemaNode {
    const doc = withOverlay(`${owner.name}.${property.name}`, file, property.doc)
    const description = doc.description === '' ? {} : { description: doc.description }
    const marked = schemaOfMarkers(doc, this.#markerOptions(file))
    if (doc.markers.has('preserveUnknownFields')) {
      return { type: 'object', ...description, ...marked, 'x-kubernetes-preserve-unknown-fields': true }
    }
    const rootMetadata = this.#dialect.custom && property.name === 'metadata' && this.isApiObject(owner)
    // A schema that says more about it, if only in words, is refused: metadata is specified
    // implicitly.
    if (rootMetadata) return { type: 'object' }
    const base: SchemaNode = this.#ofType(property.type, file)
    const whole = base.type === 'number' && marked.format?.startsWith('int') === true
    return { ...base, ...(whole ? { type: 'integer' as const } : {}), ...description, ...marked }
  }

  #ofType(type: TypeExpression, file: string): SchemaNode {
    switch (type.kind) {
      case 'keyword':
        return type.name === 'unknown' ? { 'x-kubernetes-preserve-unknown-fields': true } : { type: type.name }
      case 'literal':
        return { type: 'string', ...this.#enumOf([type.value]) }
      case 'array':
        return { type: 'array', items: this.#ofType(type.item, file) }
      case 'union':
        return this.#ofUnion(type.members, file)
      case 'name':
        return this.#ofName(type, file)
      case 'null':
        throw new SourceError(`Cannot make a schema of null alone in ${file}`)
    }
  }

  #enumOf(values: readonly string[]): SchemaNode {
    return this.#dialect.custom ? {} : { enum: [...values] }
  }

  #ofUnion(members: readonly TypeExpression[], file: string): SchemaNode {
    const present = members.filter((member) => member.kind !== 'null')
    const nullable = present.length < members.length ? { nullable: true } : {}
    const [only] = present
    if (present.length === 1 && only !== undefined) return { ...this.#ofType(only, file), ...nullable }
    const literals = present.flatMap((member) => (member.kind === 'literal' ? [member.value] : []))
    if (literals.length < present.length) throw new SourceError(`Cannot make a schema of a union other than of strings in ${file}`)
    return { type: 'string', ...this.#enumOf(literals), ...nullable }
  }

  #ofName(type: Extract<TypeExpression, { kind: 'name' }>, file: string): SchemaNode {
    const [key, value] = type.arguments
    if (type.name === 'Record' && key !== undefined && value !== undefined) {
      if (value.kind === 'keyword' && value.name === 'unknown') return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
      return { type: 'object', additionalProperties: this.#ofType(value, file) }
    }
    const declaration = this.#index.require(file, type.name)
    if (declaration.file === scalarFile) return scalarSchema(declaration.name, this.#dialect.custom) ?? {}
    return declaration.alias === undefined ? { ref: keyOf(declaration) } : this.#ofType(declaration.alias, declaration.file)
  }
}
