import { type Declaration, type DeclarationIndex, SourceError } from './declaration.ts'
import { referencesOf, type SchemaNode } from './schema-node.ts'
import { type Dialect, keyOf, SchemaBuilder } from './structural-schema.ts'

/** A folder `<group>/<version>` whose kinds get schemas. */
export interface SchemaModule {
  /** Relative to `src/api`. */
  readonly folder: string
  readonly dialect: Dialect
}

/** The folder that a declaration's schema lives in: two levels below `src/api`. */
export function folderOf(file: string): string {
  if (file.startsWith('src/apimachinery/meta/')) return 'meta/v1'
  return file.split('/').slice(2, 4).join('/')
}

/**
 * Name of a kind on the wire. Differs from the interface's only where that would hide a global of
 * the language.
 */
export function kindOf(declaration: Declaration): string {
  return declaration.doc.markers.get('kind') ?? declaration.name
}

interface Placed {
  readonly declaration: Declaration
  readonly node: SchemaNode
}

/** The schemas of one module, with those that it needs from others. */
class ModuleContent {
  /** In an order in which every schema stands below those that it builds on. */
  readonly local = new Map<string, Placed>()
  readonly imported = new Map<string, Declaration>()
  readonly #module: SchemaModule
  readonly #modules: readonly SchemaModule[]
  readonly #declarations: ReadonlyMap<string, Declaration>
  readonly #builder: SchemaBuilder
  readonly #open = new Set<string>()

  constructor(module: SchemaModule, modules: readonly SchemaModule[], index: DeclarationIndex) {
    this.#module = module
    this.#modules = modules
    const interfaces = index.all().filter((declaration) => declaration.alias === undefined)
    this.#declarations = new Map(interfaces.map((declaration) => [keyOf(declaration), declaration]))
    this.#builder = new SchemaBuilder(index, module.dialect)
    for (const declaration of interfaces) if (folderOf(declaration.file) === module.folder) this.#place(declaration)
  }

  kinds(): readonly Placed[] {
    return [...this.local.values()].filter(({ declaration }) => this.#builder.isApiObject(declaration))
  }

  /**
   * Name of the constant that holds a declaration's schema. A copy from another folder says so,
   * since names repeat between groups.
   */
  nameOf(ref: string): string {
    const declaration = this.#declarations.get(ref)
    if (declaration === undefined) throw new SourceError(`Cannot find the interface "${ref}"`)
    const folder = folderOf(declaration.file)
    if (folder === this.#module.folder || this.imported.has(ref)) return declaration.name
    return `${folder.charAt(0).toUpperCase()}${folder.slice(1, folder.indexOf('/'))}${declaration.name}`
  }

  #place(declaration: Declaration): void {
    const key = keyOf(declaration)
    if (this.local.has(key)) return
    if (this.#open.has(key)) throw new SourceError(`Cannot make a schema of "${declaration.name}", which contains itself`)
    this.#open.add(key)
    const node = this.#builder.ofInterface(declaration)
    for (const ref of referencesOf(node)) this.#resolve(ref)
    this.local.set(key, { declaration, node })
  }

  #resolve(ref: string): void {
    const declaration = this.#declarations.get(ref)
    if (declaration === undefined || this.imported.has(ref)) return
    const folder = folderOf(declaration.file)
    const home = this.#modules.find((module) => module.folder === folder && module.dialect === this.#module.dialect)
    if (home === undefined || home === this.#module) this.#place(declaration)
    else this.imported.set(ref, declaration)
  }
}

function printKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`
}

function printText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

/** Prints a value as TypeScript; references become the names of constants. */
function print(value: unknown, nameOf: (ref: string) => string, indent: string): string {
  if (typeof value === 'string') return printText(value)
  if (Array.isArray(value)) return `[${value.map((item) => print(item, nameOf, indent)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const { ref, ...own } = value as SchemaNode
  const deeper = `${indent}  `
  const entries = Object.entries(own).map(([key, child]) => `${deeper}${printKey(key)}: ${print(child, nameOf, deeper)},`)
  if (ref !== undefined && entries.length === 0) return nameOf(ref)
  const lines = ref === undefined ? entries : [`${deeper}...${nameOf(ref)},`, ...entries]
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}

function printImports(content: ModuleContent): string[] {
  const byFolder = Map.groupBy(content.imported.values(), (declaration) => folderOf(declaration.file))
  return [...byFolder]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, declarations]) => {
      const names = declarations.map((declaration) => declaration.name).toSorted()
      return `import { ${names.join(', ')} } from '#api/${folder}/schema.generated.ts'`
    })
}

/** The text of `schema.generated.ts` of one module. */
export function renderSchemaModule(module: SchemaModule, modules: readonly SchemaModule[], index: DeclarationIndex): string {
  const content = new ModuleContent(module, modules, index)
  const nameOf = (ref: string): string => content.nameOf(ref)
  const constants = [...content.local].map(
    ([ref, { node }]) => `export const ${nameOf(ref)}: StructuralSchema = ${print(node, nameOf, '')}\n`,
  )
  const kinds = content.kinds().map(({ declaration }) => `  ${kindOf(declaration)}: ${declaration.name},`)
  const table = `/** Schemas by kind. */\nexport const schemas: Readonly<Record<string, StructuralSchema>> = {\n${kinds.toSorted().join('\n')}\n}\n`
  const imports = [`import type { StructuralSchema } from '#apimachinery/structural/schema.ts'`, ...printImports(content)]
  const header = '// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.'
  return `${header}\n${imports.join('\n')}\n\n${[...constants, ...(kinds.length > 0 ? [table] : [])].join('\n')}`
}
