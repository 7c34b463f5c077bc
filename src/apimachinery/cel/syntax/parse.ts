import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js'
import { CelCompileError, issueAt } from '../errors.ts'
import { expandMacro, type MacroCall } from './macros.ts'
import { markOptionalEntries } from '../evaluator/optional-entries.ts'
import type { Expr, MapEntry } from './syntax.ts'
import { type CelValue, uintValue } from '../values/values.ts'

/** The limits of cel-go. */
const limits = { maxAstNodes: 100_000, maxDepth: 250, maxListElements: 10_000, maxMapEntries: 10_000, maxCallArguments: 1_000 }
const maxLength = 100_000

const environment = new Environment({
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits,
})

interface Reader {
  readonly source: string
  readonly marks: ReadonlySet<number>
}

const binary: Readonly<Record<string, string>> = { in: '@in' }
const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n
const maxUint = 2n ** 64n - 1n

/**
 * Parses an expression with the library's parser, and expands macros into comprehensions as cel-go
 * does, so that the cost of an evaluation is the same.
 *
 * @throws CelCompileError with the position of the first error
 */
export function parseExpression(source: string): Expr {
  if (source.length > maxLength)
    throw fault(source, 0, `expression code point size exceeds limit: size: ${source.length}, limit ${maxLength}`)
  const { text, marks } = markOptionalEntries(source)
  try {
    return convert(environment.parse(text).ast, { source, marks })
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw fault(source, error.range?.start ?? error.node?.pos ?? 0, describe(error, source))
  }
}

function describe(error: ParseError, source: string): string {
  if (error.code === 'invalid_macro_argument') {
    return /^(map|filter)\(/.test(error.summary) ? 'argument is not an identifier' : 'argument must be a simple name'
  }
  if (source.trim() === '') return "Syntax error: mismatched input '<EOF>'"
  return `Syntax error: ${error.summary.replace('Unexpected token: EOF', "unexpected input '<EOF>'")}`
}

function fault(source: string, offset: number, message: string): CelCompileError {
  return new CelCompileError([issueAt(source, offset, message)], source)
}

function convert(node: ASTNode, reader: Reader): Expr {
  const offset = node.pos
  const { source } = reader
  if (node.op === 'value') return { kind: 'literal', offset, value: literal(node.args, source, offset, false) }
  if (node.op === 'id') return { kind: 'ident', offset, name: node.args }
  if (node.op === '.') return { kind: 'select', ...field(node.args, reader), testOnly: false }
  if (node.op === '.?') {
    const { operand, field: name, offset: dot } = field(node.args, reader)
    return { kind: 'call', offset: dot, function: '_?._', target: undefined, args: [operand, { kind: 'literal', offset, value: name }] }
  }
  if (node.op === '[]' || node.op === '[?]') {
    const [operand, index] = node.args
    const bracket = find(source, '[', operand.end)
    const name = node.op === '[]' ? '_[_]' : '_[?_]'
    return operator(name, bracket, [convert(operand, reader), convert(index, reader)])
  }
  if (node.op === 'call') {
    const [name, args] = node.args
    return call({ name, offset: find(source, '(', node.start), target: undefined, args: args.map((arg) => convert(arg, reader)) }, source)
  }
  if (node.op === 'rcall') {
    const [name, receiver, args] = node.args
    const target = convert(receiver, reader)
    const open = find(source, '(', find(source, name, find(source, '.', receiver.end)))
    return call({ name, offset: open, target, args: args.map((arg) => convert(arg, reader)) }, source)
  }
  if (node.op === 'list') return listExpr(node.args, offset, reader)
  if (node.op === 'map') return { kind: 'map', offset, entries: node.args.map(([key, value]) => mapEntry(key, value, reader)) }
  if (node.op === '?:') {
    const [condition, yes, no] = node.args
    const mark = find(source, '?', condition.end)
    return operator('_?_:_', mark, [convert(condition, reader), convert(yes, reader), convert(no, reader)])
  }
  if (node.op === '!_') return negate('!_', node.args, offset, reader)
  if (node.op === '-_') return negate('-_', node.args, offset, reader)
  const [left, right] = node.args
  const name = binary[node.op] ?? `_${node.op}_`
  return operator(name, find(source, node.op, left.end), [convert(left, reader), convert(right, reader)])
}

/**
 * Returns the offset of an operator from `from` on. A search suffices: only brackets, blanks and
 * comments are between operands.
 */
function find(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  return at < 0 ? from : at
}

function operator(name: string, offset: number, args: readonly Expr[]): Expr {
  return { kind: 'call', function: name, offset, target: undefined, args }
}

function field([operand, name]: [ASTNode, string], reader: Reader): { operand: Expr; field: string; offset: number } {
  return { operand: convert(operand, reader), field: name, offset: find(reader.source, '.', operand.end) }
}

/** `-1` is a number; two minuses, or a minus before anything else, are operators. */
function negate(name: '!_' | '-_', inner: ASTNode, offset: number, reader: Reader): Expr {
  if (name === '-_' && inner.op === 'value' && inner.start === offset + 1) {
    const value = inner.args
    if (typeof value === 'bigint' || typeof value === 'number') {
      return { kind: 'literal', offset, value: literal(value, reader.source, offset, true) }
    }
  }
  // Two of a kind are as good as none, whatever follows.
  const isDouble = inner.op === name && reader.source.slice(offset + 1, inner.pos).trim() === ''
  return isDouble ? convert(inner.args, reader) : operator(name, offset, [convert(inner, reader)])
}

function literal(value: unknown, source: string, offset: number, negative: boolean): CelValue {
  if (typeof value === 'bigint') {
    const number = negative ? -value : value
    if (number > maxInt || number < minInt) throw fault(source, offset, 'invalid int literal')
    return number
  }
  if (typeof value === 'number') return negative ? -value : value
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    // The class of the library's unsigned integers is not exported.
    const number = (value as { readonly value: bigint }).value
    if (number > maxUint) throw fault(source, offset, 'invalid uint literal')
    return uintValue(number)
  }
  return value as string | boolean | null | Uint8Array
}

function call(macro: MacroCall, source: string): Expr {
  const expanded = expandMacro(macro)
  if (expanded === undefined) return { kind: 'call', function: macro.name, offset: macro.offset, target: macro.target, args: macro.args }
  if ('fault' in expanded) throw fault(source, expanded.offset, expanded.fault)
  return expanded
}

function listExpr(nodes: readonly ASTNode[], offset: number, reader: Reader): Expr {
  const optional = new Set<number>()
  const elements = nodes.map((node, index) => {
    if (!reader.marks.has(node.start)) return convert(node, reader)
    optional.add(index)
    return convert(unmark(node, node.start), reader)
  })
  return { kind: 'list', offset, elements, optional }
}

function mapEntry(key: ASTNode, value: ASTNode, reader: Reader): MapEntry {
  const optional = reader.marks.has(key.start)
  return { key: convert(optional ? unmark(key, key.start) : key, reader), value: convert(value, reader), optional }
}

/** Removes the `!` that marks a field from the left end of a tree. */
function unmark(node: ASTNode, mark: number): ASTNode {
  if (node.op === '!_' && node.pos === mark) return node.args
  const args: unknown = node.args
  if (!Array.isArray(args)) return node
  const at = args.findIndex((arg) => isNode(arg) && arg.start === mark)
  if (at < 0) return node
  const changed = args.map((arg: unknown, index) => (index === at ? unmark(arg as ASTNode, mark) : arg))
  return Object.assign(Object.create(Object.getPrototypeOf(node) as object) as object, node, {
    op: node.op,
    args: changed,
    pos: node.pos,
    start: node.start,
    end: node.end,
  }) as ASTNode
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'start' in value
}
