/** Licences of a package, as its copyright file declares them. */
export interface DeclaredLicense {
  /** SPDX expression. Undefined when a name is unknown, or the file has no fields to read. */
  readonly license?: string
  readonly unknownLicenses: readonly string[]
}

/** SPDX identifiers of short names in Debian's copyright format 1.0, beside GPL and LGPL. */
const IDENTIFIERS: Readonly<Record<string, string>> = {
  'apache-2.0': 'Apache-2.0',
  'bsd-2-clause': 'BSD-2-Clause',
  'bsd-2-clauses': 'BSD-2-Clause',
  'bsd-3-clause': 'BSD-3-Clause',
  'bsd-4-clause': 'BSD-4-Clause',
  'cc0-1.0': 'CC0-1.0',
  expat: 'MIT',
  isc: 'ISC',
  mit: 'MIT',
  'mpl-2.0': 'MPL-2.0',
  zlib: 'Zlib',
}

/**
 * Parses the licences of a machine-readable copyright file (Debian's format 1.0). Debian's and
 * SPDX' names differ: a file with names that are not known here, or with commas, which group, has
 * no expression; none is guessed.
 */
export function parseCopyright(text: string): DeclaredLicense {
  if (!/^Format: .*copyright-format\/1\.0/m.test(text)) return { unknownLicenses: [] }
  const expressions = [...text.matchAll(/^License: *(\S.*)$/gm)].map((match) => match[1]?.trim() ?? '')
  const names = [...new Set(expressions.flatMap((expression) => expression.split(/ (?:and|or) /)))].filter((name) => name !== '')
  const unknownLicenses = names.filter((name) => identifierOf(name) === undefined).toSorted()
  if (unknownLicenses.length > 0 || names.length === 0) return { unknownLicenses }
  const known = [...new Set(expressions.map(convert))].toSorted()
  return {
    license: known.length === 1 ? (known[0] ?? '') : known.map((each) => (each.includes(' ') ? `(${each})` : each)).join(' AND '),
    unknownLicenses,
  }
}

/** Converts `GPL-2+ or Expat` to `GPL-2.0-or-later OR MIT`. */
function convert(expression: string): string {
  const words = expression.split(/( (?:and|or) )/)
  return words.map((word, index) => (index % 2 === 0 ? (identifierOf(word) ?? word) : word === ' or ' ? ' OR ' : ' AND ')).join('')
}

function identifierOf(name: string): string | undefined {
  const [, family, number, later] = /^(A?L?GPL)-(\d(?:\.\d)?)(\+)?$/.exec(name) ?? []
  if (family === undefined || number === undefined) return IDENTIFIERS[name.toLowerCase()]
  return `${family}-${number.includes('.') ? number : `${number}.0`}-${later === undefined ? 'only' : 'or-later'}`
}
