import { posix } from 'node:path'
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import {
  isArrayLiteralExpression,
  isCallExpression,
  isConditionalExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  isVariableStatement,
} from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'

/** An event, condition, metric or finding as the source reports it. */
export interface Reported {
  /** Reason of an event or condition, name of a metric, id of a finding. */
  readonly name: string
  /** Type of an event, type and status of a condition, severity of a finding. */
  readonly kind: string
  /** Message, or help of a metric; `<name>` stands for a value that is filled in. */
  readonly text: string
  /** Folder of the reporting code, relative to `src`. */
  readonly source: string
}

/** Everything that the control plane reports to users, by the page that lists it. */
export interface Reports {
  readonly events: readonly Reported[]
  readonly conditions: readonly Reported[]
  readonly metrics: readonly Reported[]
  readonly findings: readonly Reported[]
}

/** String constants by name; members of constant objects by `object.member`. */
type Constants = ReadonlyMap<string, string>

/**
 * Finds the calls and object literals by which production code in `src` reports events, conditions,
 * metrics and findings. A reason that is only known at run time is left out.
 */
export function readReports(root: string, projects: readonly string[]): Reports {
  const api = new API({ cwd: root })
  try {
    using snapshot = api.updateSnapshot({ openProjects: projects.map((project) => posix.join(root, project)) })
    const sources = new Map<string, SourceFile>()
    for (const project of snapshot.getProjects()) {
      for (const path of project.rootFiles) {
        const source = project.program.getSourceFile(path)
        if (source !== undefined && !path.endsWith('.generated.ts')) sources.set(posix.relative(root, path), source)
      }
    }
    const shared = mergeConstants([...sources.values()].map(constantsIn))
    const all = [...sources].map(([file, source]) => reportsIn(file, source, new Map([...shared, ...constantsIn(source)])))
    return {
      events: sorted(all.flatMap(({ events }) => events)),
      conditions: sorted(all.flatMap(({ conditions }) => conditions)),
      metrics: sorted(all.flatMap(({ metrics }) => metrics)),
      findings: sorted(all.flatMap(({ findings }) => findings)),
    }
  } finally {
    api.close()
  }
}

/** Constants that are declared at the top of a module: a local one has no meaning elsewhere. */
function constantsIn(source: SourceFile): Map<string, string> {
  const declarations = source.statements.filter(isVariableStatement).flatMap(({ declarationList }) => [...declarationList.declarations])
  const constants = new Map<string, string>()
  for (const { name, initializer } of declarations) {
    if (!isIdentifier(name) || initializer === undefined) continue
    const value = unwrap(initializer)
    if (isStringLiteral(value)) constants.set(name.text, value.text)
    if (!isObjectLiteralExpression(value)) continue
    for (const property of value.properties) {
      if (isPropertyAssignment(property) && isIdentifier(property.name) && isStringLiteral(property.initializer))
        constants.set(`${name.text}.${property.name.text}`, property.initializer.text)
    }
  }
  return constants
}

/** A name that two files give different values is resolved in its own file only. */
function mergeConstants(maps: readonly Map<string, string>[]): Map<string, string> {
  const merged = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (const [name, value] of maps.flatMap((constants) => [...constants])) {
    if (merged.has(name) && merged.get(name) !== value) ambiguous.add(name)
    merged.set(name, value)
  }
  for (const name of ambiguous) merged.delete(name)
  return merged
}

function reportsIn(file: string, source: SourceFile, constants: Constants): Reports {
  const found = { events: [] as Reported[], conditions: [] as Reported[], metrics: [] as Reported[], findings: [] as Reported[] }
  const folder = folderOf(file)
  visit(source, (node) => {
    if (isCallExpression(node) && isPropertyAccessExpression(node.expression) && node.expression.name.text === 'event') {
      const [, type, reason, message] = node.arguments
      if (type === undefined || reason === undefined || message === undefined) return
      for (const name of valuesOf(reason, constants))
        found.events.push({ name, kind: valuesOf(type, constants).join(' or '), text: textOf(message, source, constants), source: folder })
    }
    // A table of metrics: type and help by name.
    if (isPropertyAssignment(node) && /^(kubevirt|steadyvm)_\w+$/.test(node.name.getText()) && isArrayLiteralExpression(node.initializer)) {
      const text = textOf(node.initializer.elements[1], source, constants)
      found.metrics.push({ name: node.name.getText(), kind: '', text, source: folder })
    }
    if (!isObjectLiteralExpression(node)) return
    const field = (name: string): Node | undefined => fieldOf(node, name)
    const [type, status, reason, name, help, id, severity] = ['type', 'status', 'reason', 'name', 'help', 'id', 'severity'].map(field)
    if (type !== undefined && status !== undefined && reason !== undefined) {
      for (const value of valuesOf(reason, constants).filter(isReason)) {
        const types = valuesOf(type, constants).join(', ')
        const kind = types === '' ? '' : `${types}=${valuesOf(status, constants).join(' or ') || 'True or False'}`
        found.conditions.push({ name: value, kind, text: textOf(field('message'), source, constants), source: folder })
      }
    }
    if (name !== undefined && help !== undefined) {
      for (const value of valuesOf(name, constants))
        found.metrics.push({ name: value, kind: '', text: textOf(help, source, constants), source: folder })
    }
    if (id !== undefined && (severity !== undefined || field('what') !== undefined)) {
      // Ids of other tools, such as the checks of upgrade graphs, are in lower case.
      for (const value of valuesOf(id, constants).filter(isReason)) {
        const kind = severity === undefined ? '' : valuesOf(severity, constants).join(' or ')
        found.findings.push({ name: value, kind, text: textOf(field('what'), source, constants), source: folder })
      }
    }
  })
  return found
}

function fieldOf(node: Node, name: string): Node | undefined {
  if (!isObjectLiteralExpression(node)) return undefined
  for (const property of node.properties) {
    if (isPropertyAssignment(property) && property.name.getText() === name) return property.initializer
    if (isShorthandPropertyAssignment(property) && property.name.getText() === name) return property.name
  }
  return undefined
}

/** The strings that an expression can be, as far as the source tells. */
function valuesOf(expression: Node, constants: Constants): readonly string[] {
  const node = unwrap(expression)
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return [node.text]
  if (isConditionalExpression(node)) return [...valuesOf(node.whenTrue, constants), ...valuesOf(node.whenFalse, constants)]
  const name = isIdentifier(node) || isPropertyAccessExpression(node) ? node.getText() : ''
  const value = constants.get(name)
  return value === undefined ? [] : [value]
}

function textOf(expression: Node | undefined, source: SourceFile, constants: Constants): string {
  if (expression === undefined) return ''
  const node = unwrap(expression)
  if (isTemplateExpression(node)) {
    const spans = node.templateSpans.map((span) => `<${shortName(span.expression.getText(source))}>${span.literal.text}`)
    return `${node.head.text}${spans.join('')}`
  }
  if (isConditionalExpression(node))
    return [node.whenTrue, node.whenFalse]
      .map((branch) => textOf(branch, source, constants))
      .filter(Boolean)
      .join(' / ')
  return valuesOf(node, constants).join(' / ')
}

/** The last name in an expression: `vmi.metadata.name` is shown as `name`. */
function shortName(expression: string): string {
  return /([A-Za-z]+)\W*$/.exec(expression.replaceAll(/\([^()]*\)/g, ''))?.[1] ?? '…'
}

function unwrap(node: Node): Node {
  const isWrapper = node.kind === SyntaxKind.AsExpression || node.kind === SyntaxKind.ParenthesizedExpression
  return isWrapper ? unwrap((node as Node & { readonly expression: Node }).expression) : node
}

function visit(node: Node, look: (node: Node) => void): void {
  look(node)
  node.forEachChild((child) => visit(child, look))
}

function isReason(value: string): boolean {
  return /^[A-Z][A-Za-z]+$/.test(value)
}

function folderOf(file: string): string {
  const parts = file.split('/').slice(1, -1)
  return parts.slice(0, 2).join('/')
}

function sorted(reports: readonly Reported[]): readonly Reported[] {
  const keyed = new Map(reports.map((report) => [`${report.name}\0${report.kind}\0${report.text}\0${report.source}`, report]))
  return [...keyed].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, report]) => report)
}
