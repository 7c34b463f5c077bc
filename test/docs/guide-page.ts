/** A step of a guide page, in the order of the page. */
export type PageStep =
  /** A manifest of the page; its first line is a comment with the name of the file. */
  | { readonly kind: 'file'; readonly name: string; readonly content: string }
  /** A command and its documented output. */
  | { readonly kind: 'command'; readonly command: string; readonly output: readonly string[]; readonly line: number }

/**
 * Reads the fenced `yaml` blocks that name a file and the `console` blocks of a page. A line such
 * as `<!-- only: cluster -->` before a block leaves it to one of the places.
 */
export function readPage(markdown: string, place: 'machine' | 'cluster' = 'machine'): PageStep[] {
  const steps: PageStep[] = []
  const lines = markdown.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const language = /^```(\w+)$/.exec(lines[index] ?? '')?.[1]
    if (language === undefined) continue
    const end = lines.indexOf('```', index + 1)
    const block = lines.slice(index + 1, end)
    const only = /^<!-- only: (\w+) -->$/.exec(lines[index - 1] ?? '')?.[1]
    const name = /^# (\S+\.yaml)$/.exec(block[0] ?? '')?.[1]
    const isHere = only === undefined || only === place
    if (isHere && language === 'yaml' && name !== undefined) steps.push({ kind: 'file', name, content: `${block.join('\n')}\n` })
    if (isHere && language === 'console') steps.push(...readConsole(block, index + 2))
    index = end
  }
  return steps
}

function readConsole(block: readonly string[], firstLine: number): PageStep[] {
  const starts = block.flatMap((text, index) => (text.startsWith('$ ') ? [index] : []))
  return starts.map((start, index) => ({
    kind: 'command',
    command: (block[start] ?? '').slice(2),
    output: block.slice(start + 1, starts[index + 1] ?? block.length),
    line: firstLine + start,
  }))
}

/**
 * Reports whether a command printed the lines of the page. `…` in a line matches any text, alone on
 * a line any lines. Blanks are squeezed, because widths of columns depend on their content, and
 * empty lines ignored.
 */
export function isAsShown(output: readonly string[], printed: string): boolean {
  const pattern = output
    .filter((line) => line.trim() !== '')
    .map((line) => (line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${line.trim().split('…').map(quote).join('[^\\n]*')}\\n`))
    .join('')
  const text = printed
    .split('\n')
    .map(squeeze)
    .filter((line) => line !== '')
  return new RegExp(`^${pattern}$`).test(text.map((line) => `${line}\n`).join(''))
}

function squeeze(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ')
}

function quote(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
