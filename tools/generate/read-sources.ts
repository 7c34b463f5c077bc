import { posix } from 'node:path'
import { type Node, type SourceFile, SyntaxKind, type TypeNode } from 'typescript/unstable/ast'
import {
  isArrayTypeNode,
  isIdentifier,
  isImportDeclaration,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isNamedImports,
  isParenthesizedTypeNode,
  isPropertySignatureDeclaration,
  isStringLiteral,
  isTypeAliasDeclaration,
  isTypeReferenceNode,
  isUnionTypeNode,
} from 'typescript/unstable/ast/is'
import type { FileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'
import { type Declaration, type ImportedName, type Property, SourceError, type SourceUnit, type TypeExpression } from './declaration.ts'
import { type Doc, noDoc, parseDocComment } from './doc-comment.ts'

const keywords = new Map<SyntaxKind, 'string' | 'number' | 'boolean' | 'unknown'>([
  [SyntaxKind.StringKeyword, 'string'],
  [SyntaxKind.NumberKeyword, 'number'],
  [SyntaxKind.BooleanKeyword, 'boolean'],
  [SyntaxKind.UnknownKeyword, 'unknown'],
])

function docOf(node: Node, source: SourceFile): Doc {
  const comment = node.jsDoc?.at(-1)
  return comment === undefined ? noDoc : parseDocComment(source.text.slice(comment.pos, comment.end).trim())
}

function literalOf(node: Node, where: string): TypeExpression {
  if (node.kind === SyntaxKind.NullKeyword) return { kind: 'null' }
  if (isStringLiteral(node)) return { kind: 'literal', value: node.text }
  throw new SourceError(`Cannot read a literal type other than strings and null in ${where}`)
}

function typeOf(node: TypeNode, where: string): TypeExpression {
  const keyword = keywords.get(node.kind)
  if (keyword !== undefined) return { kind: 'keyword', name: keyword }
  if (isParenthesizedTypeNode(node)) return typeOf(node.type, where)
  if (isArrayTypeNode(node)) return { kind: 'array', item: typeOf(node.elementType, where) }
  if (isUnionTypeNode(node)) return { kind: 'union', members: node.types.map((member) => typeOf(member, where)) }
  if (isLiteralTypeNode(node)) return literalOf(node.literal, where)
  if (isTypeReferenceNode(node) && isIdentifier(node.typeName)) {
    return { kind: 'name', name: node.typeName.text, arguments: (node.typeArguments ?? []).map((argument) => typeOf(argument, where)) }
  }
  throw new SourceError(`Cannot read a type of syntax "${SyntaxKind[node.kind]}" in ${where}`)
}

function nameOf(node: Node, where: string): string {
  if (isIdentifier(node) || isStringLiteral(node)) return node.text
  throw new SourceError(`Cannot read a computed property name in ${where}`)
}

function propertyOf(node: Node, source: SourceFile, where: string): Property {
  if (!isPropertySignatureDeclaration(node)) throw new SourceError(`Cannot read a member that is no property in ${where}`)
  const name = nameOf(node.name, where)
  const optional = node.postfixToken?.kind === SyntaxKind.QuestionToken
  return { name, optional, type: typeOf(node.type, `${where}.${name}`), doc: docOf(node, source) }
}

function declarationOf(statement: Node, source: SourceFile, file: string): Declaration | undefined {
  if (isTypeAliasDeclaration(statement)) {
    const name = statement.name.text
    return { file, name, doc: docOf(statement, source), bases: [], properties: [], alias: typeOf(statement.type, `${file}#${name}`) }
  }
  // A generic interface describes no wire format by itself.
  if (!isInterfaceDeclaration(statement) || statement.typeParameters !== undefined) return undefined
  const name = statement.name.text
  const where = `${file}#${name}`
  const bases = (statement.heritageClauses ?? []).flatMap((clause) => clause.types.map((base) => nameOf(base.expression, where)))
  const properties = statement.members.map((member) => propertyOf(member, source, where))
  return { file, name, doc: docOf(statement, source), bases, properties }
}

function targetOf(specifier: string, file: string): string | undefined {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined
}

function importsOf(source: SourceFile, file: string): Map<string, ImportedName> {
  const names = new Map<string, ImportedName>()
  for (const statement of source.statements) {
    if (!isImportDeclaration(statement) || !isStringLiteral(statement.moduleSpecifier)) continue
    const target = targetOf(statement.moduleSpecifier.text, file)
    const bindings = statement.importClause?.namedBindings
    if (target === undefined || bindings === undefined || !isNamedImports(bindings)) continue
    for (const element of bindings.elements) {
      names.set(element.name.text, { file: target, name: (element.propertyName ?? element.name).text })
    }
  }
  return names
}

/** Location of the sources. */
export interface SourceLocation {
  /** Absolute path of the repository. */
  readonly root: string
  /** The tsconfig.json of each project to read, relative to the root. */
  readonly projects: readonly string[]
  /** Reports whether to read a file, given relative to the root. */
  readonly include: (file: string) => boolean
  /** Instead of the real file system, for tests. */
  readonly fileSystem?: FileSystem
}

/**
 * Parses interfaces and type aliases; types are not resolved. Throws SourceError for what no schema
 * can be made of.
 */
export function readSources(location: SourceLocation): readonly SourceUnit[] {
  const { root, fileSystem } = location
  const api = new API(fileSystem === undefined ? { cwd: root } : { cwd: root, fs: fileSystem })
  try {
    using snapshot = api.updateSnapshot({ openProjects: location.projects.map((project) => posix.join(root, project)) })
    const units = new Map<string, SourceUnit>()
    for (const project of snapshot.getProjects()) {
      for (const path of project.rootFiles) {
        const file = posix.relative(root, path)
        const source = location.include(file) ? project.program.getSourceFile(path) : undefined
        if (source === undefined) continue
        const declarations = source.statements.flatMap((statement) => declarationOf(statement, source, file) ?? [])
        units.set(file, { file, declarations, imports: importsOf(source, file) })
      }
    }
    return [...units.values()].toSorted((a, b) => (a.file < b.file ? -1 : 1))
  } finally {
    api.close()
  }
}
