/** Words that CEL keeps for itself; a property of such a name is seen as `__name__`. */
const reserved: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
])

const escapes: readonly (readonly [string, string])[] = [
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The name that a property has in expressions; undefined when it has none. */
export function escapeProperty(property: string): string | undefined {
  if (reserved.has(property)) return `__${property}__`
  const name = escapes.reduce((text, [from, to]) => text.replaceAll(from, to), property)
  return identifier.test(name) ? name : undefined
}
