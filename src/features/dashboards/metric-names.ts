/** Words of PromQL that name no metric. */
const words: ReadonlySet<string> = new Set(['and', 'or', 'unless', 'bool', 'offset', 'atan2', 'inf', 'nan'])
/** Words that a list of labels follows. */
const labelled: ReadonlySet<string> = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'])

/**
 * Returns the names of metrics and records that an expression reads, without duplicates. Matchers,
 * labels, functions, ranges and strings name none. Pure.
 */
export function metricNamesIn(expr: string): readonly string[] {
  const plain = expr
    .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, '""')
    .replaceAll(/\{[^}]*\}/g, '{}')
    .replaceAll(/\[[^\]]*\]/g, '[]')
  const names = new Set<string>()
  for (let rest = plain; ;) {
    const found = /(?<![\w.:$])[a-zA-Z_:][\w:]*/.exec(rest)
    if (found === null) return [...names]
    const [word] = found
    rest = rest.slice(found.index + word.length)
    if (labelled.has(word.toLowerCase())) rest = rest.replace(/^\s*\([^)]*\)/, '')
    // A function or an aggregation is followed by arguments, or by the labels that it groups by.
    else if (!/^\s*(\(|(by|without)\s*\()/i.test(rest) && !words.has(word.toLowerCase())) names.add(word)
  }
}
