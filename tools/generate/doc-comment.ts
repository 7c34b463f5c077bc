/** Content of a doc comment: prose for readers, markers for the generator. */
export interface Doc {
  /** The prose, as one paragraph. */
  readonly description: string
  /** `@name rest of the line`, by name. A marker that is there several times has several lines. */
  readonly markers: ReadonlyMap<string, string>
}

/** The doc of something that has no comment. */
export const noDoc: Doc = { description: '', markers: new Map() }

function contentLines(comment: string): string[] {
  return comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^\*( |$)/, '')
        .trim(),
    )
}

/**
 * Reads a whole doc comment with its delimiters. A marker is a line that begins with `@`; it ends
 * with its line, unless that ends with a comma, a semicolon, or a backslash, which is left out.
 */
export function parseDocComment(comment: string): Doc {
  const prose: string[] = []
  const markers = new Map<string, string>()
  let unfinished: string | undefined
  for (const line of contentLines(comment)) {
    if (unfinished !== undefined) {
      const text = (markers.get(unfinished) ?? '').replace(/\\$/, '') + line
      markers.set(unfinished, text)
      if (!isUnfinished(text)) unfinished = undefined
      continue
    }
    const marker = /^@(\w+)(?:\s+(.*))?$/.exec(line)
    if (marker?.[1] !== undefined) {
      const before = markers.get(marker[1])
      markers.set(marker[1], before === undefined ? (marker[2] ?? '') : `${before}\n${marker[2] ?? ''}`)
      if (isUnfinished(marker[2] ?? '')) unfinished = marker[1]
    } else if (line !== '') prose.push(line)
  }
  return { description: prose.join(' '), markers }
}

function isUnfinished(text: string): boolean {
  return /[,;\\]$/.test(text)
}
