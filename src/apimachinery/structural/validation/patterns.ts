import { RE2JS } from 're2js'

/**
 * Compiled patterns that are remembered: the same few are repeated all over a definition, and stay
 * when its schema changes.
 */
const mostRemembered = 1000
const remembered = new Map<string, RE2JS>()

/** Compiles a pattern in RE2's syntax, which matches in linear time. @throws when it is invalid */
export function compilePattern(pattern: string): RE2JS {
  const known = remembered.get(pattern)
  if (known !== undefined) return known
  const compiled = RE2JS.compile(pattern)
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(pattern, compiled)
  return compiled
}

/**
 * Estimates the size of the compiled pattern: its characters, with repetitions expanded. Compiling
 * takes up to a sixth of a millisecond per unit, so that a few bytes of `{1000}` can be expensive.
 */
export function patternSize(pattern: string): number {
  // Sizes of the groups that are open, and of the last thing in each, which a repetition is of.
  const open = [{ total: 0, last: 0 }]
  const add = (size: number): void => {
    const group = open.at(-1)
    if (group === undefined) return
    group.total += size
    group.last = size
  }
  const token = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[\s\S]/gu
  for (const [text, least, most] of pattern.matchAll(token)) {
    if (least !== undefined) {
      const group = open.at(-1)
      if (group !== undefined) group.total += group.last * (Math.max(Number(least), Number(most ?? '')) - 1)
    } else if (text === '(') open.push({ total: 0, last: 0 })
    else if (text === ')') add((open.length > 1 ? open.pop()?.total : 0) ?? 0)
    else add(1)
  }
  return open.reduce((sum, { total }) => sum + total, 0)
}
