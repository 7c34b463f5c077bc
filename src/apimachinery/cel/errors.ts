/** A compilation error of an expression. Lines and columns count from 1, in characters. */
export interface CelIssue {
  readonly line: number
  readonly column: number
  readonly message: string
}

/**
 * An expression is no CEL, or its types do not fit. The message shows every fault with its place in
 * the source, as cel-go prints it.
 */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError'
  readonly issues: readonly CelIssue[]
  constructor(issues: readonly CelIssue[], source: string) {
    super(issues.map((issue) => showIssue(issue, source)).join('\n'))
    this.issues = issues
  }
}

function showIssue({ line, column, message }: CelIssue, source: string): string {
  const text = source.split('\n')[line - 1] ?? ''
  return `ERROR: <input>:${line}:${column}: ${message}\n | ${text.replaceAll('\t', ' ')}\n | ${'.'.repeat(column - 1)}^`
}

/** Creates an issue from an offset in UTF-16 units. */
export function issueAt(source: string, offset: number, message: string): CelIssue {
  const before = source.slice(0, Math.max(0, offset))
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: Array.from(before.slice(start)).length + 1, message }
}

/**
 * An expression failed while it was evaluated: an overflow, a key that is not there, an operation
 * that its values do not have.
 */
export class CelError extends Error {
  override readonly name: string = 'CelError'
  constructor(message: string) {
    const limit = v8Error.stackTraceLimit
    // Operators absorb thousands of errors, and capturing the stack dominates the cost of an error.
    v8Error.stackTraceLimit = 0
    super(message)
    v8Error.stackTraceLimit = limit
  }
}

const v8Error = Error as { stackTraceLimit?: number | undefined }

/** The expression exceeded its cost budget. No operator absorbs this error. */
export class CelBudgetError extends CelError {
  override readonly name = 'CelBudgetError'
}

/** The error of cel-go for operands of types without an overload. */
export function noSuchOverload(): CelError {
  return new CelError('no such overload')
}
