import type { Doc } from './doc-comment.ts'

/** A type as it is written. Names are resolved later, in the scope of their file. */
export type TypeExpression =
  | { readonly kind: 'name'; readonly name: string; readonly arguments: readonly TypeExpression[] }
  | { readonly kind: 'array'; readonly item: TypeExpression }
  | { readonly kind: 'union'; readonly members: readonly TypeExpression[] }
  | { readonly kind: 'literal'; readonly value: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'keyword'; readonly name: 'string' | 'number' | 'boolean' | 'unknown' }

/** One property of an interface. */
export interface Property {
  readonly name: string
  readonly optional: boolean
  readonly type: TypeExpression
  readonly doc: Doc
}

/** An interface or type alias of a source file. */
export interface Declaration {
  /** Path of the file, relative to the repository. */
  readonly file: string
  readonly name: string
  readonly doc: Doc
  /** Names of the interfaces that it extends. */
  readonly bases: readonly string[]
  /** Own properties, in source order; none for an alias. */
  readonly properties: readonly Property[]
  /** Target of an alias. */
  readonly alias?: TypeExpression
}

/** Origin of an imported name. */
export interface ImportedName {
  readonly file: string
  readonly name: string
}

/** One source file. */
export interface SourceUnit {
  readonly file: string
  readonly declarations: readonly Declaration[]
  /** By local name. */
  readonly imports: ReadonlyMap<string, ImportedName>
}

/** The file uses something that the generator does not understand, or names what is not there. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** Finds declarations by name, through imports. */
export class DeclarationIndex {
  readonly #units: ReadonlyMap<string, SourceUnit>

  constructor(units: readonly SourceUnit[]) {
    this.#units = new Map(units.map((unit) => [unit.file, unit]))
  }

  /** All declarations, file by file. */
  all(): readonly Declaration[] {
    return [...this.#units.values()].flatMap((unit) => unit.declarations)
  }

  /** Resolves `name` in `file`; undefined for names that no file declares. */
  find(file: string, name: string): Declaration | undefined {
    const unit = this.#units.get(file)
    const own = unit?.declarations.find((declaration) => declaration.name === name)
    if (own !== undefined) return own
    const imported = unit?.imports.get(name)
    return imported === undefined ? undefined : this.find(imported.file, imported.name)
  }

  /** As {@link find}, for names that must be there. */
  require(file: string, name: string): Declaration {
    const found = this.find(file, name)
    if (found === undefined) throw new SourceError(`Cannot find type "${name}" that ${file} uses`)
    return found
  }

  /**
   * The interface with everything it inherits and does not say again: bases first, own properties
   * last. Each property keeps the file it is written in.
   */
  propertiesOf(declaration: Declaration): readonly { readonly property: Property; readonly file: string }[] {
    const own = new Set(declaration.properties.map(({ name }) => name))
    const inherited = declaration.bases.flatMap((base) => [...this.propertiesOf(this.require(declaration.file, base))])
    return [
      ...inherited.filter(({ property }) => !own.has(property.name)),
      ...declaration.properties.map((property) => ({ property, file: declaration.file })),
    ]
  }

  /** Reports whether the interface has this name or inherits from the one that has it. */
  inherits(declaration: Declaration, name: string): boolean {
    return declaration.bases.some((base) => base === name || this.inherits(this.require(declaration.file, base), name))
  }
}
