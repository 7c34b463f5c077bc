import type { Expr } from './syntax.ts'

/** Reports whether an expression uses a variable. */
export function mentions(expr: Expr, name: string): boolean {
  const seen = new Set<Expr>()
  const search = (each: Expr | undefined): boolean => {
    if (each === undefined || seen.has(each)) return false
    seen.add(each)
    return (each.kind === 'ident' && each.name === name) || parts(each).some(search)
  }
  return search(expr)
}

function parts(expr: Expr): readonly (Expr | undefined)[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return []
    case 'select':
      return [expr.operand]
    case 'call':
      return [expr.target, ...expr.args]
    case 'list':
      return expr.elements
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value])
    case 'comprehension':
      return [expr.range, expr.initial, expr.condition, expr.step, expr.result]
  }
}
