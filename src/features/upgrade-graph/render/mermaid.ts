import type { Drawing, DrawnChannel, DrawnEntry } from './drawing.ts'

/**
 * Draws a graph for mermaid, which GitHub and many editors show: the text of `opm alpha
 * render-graph`, but for its defects. Deprecations are those of their own package, all deprecated
 * packages are marked, edges are counted in the order in which they are written, the edges that OLM
 * v0 ignores are those to skipped versions, and names that mermaid cannot read are escaped. Pure.
 */
export function renderMermaid({ packages }: Drawing): string {
  const lines: string[] = [...prelude]
  const marks: { readonly mark: string; readonly id: string }[] = []
  const ignored: number[] = []
  let count = 0
  for (const { name, channels } of packages) {
    lines.push(`  %% package ${quoted(name)}`, `  subgraph ${subgraphOf(name)}`)
    for (const channel of channels) {
      const id = channelId(name, channel)
      lines.push(`    %% channel ${quoted(channel.name)}`, `    subgraph ${id}[${quoted(channel.name)}]`)
      for (const entry of channel.entries) {
        const node = (entryName: string): string => `${idOf(`${name}-${channel.name}-${entryName}`)}[${quoted(entryName)}]`
        lines.push(`      ${node(entry.name)}`)
        for (const mark of marksOf(entry)) marks.push({ mark, id: idOf(`${name}-${channel.name}-${entry.name}`) })
        for (const { from, kind, range, isIgnored } of entry.edges) {
          lines.push(`      ${node(from)}-- ${kind === 'skipRange' ? quoted(`skipRange(${range})`) : kind} --> ${node(entry.name)}`)
          if (isIgnored) ignored.push(count)
          count += 1
        }
      }
      lines.push('    end')
    }
    lines.push('  end')
  }
  lines.push(...stylesOf({ packages }))
  for (const [mark, all] of [...Map.groupBy(marks, (one) => one.mark)].toSorted(([one], [other]) => byText(one, other)))
    lines.push(
      `class ${all
        .map(({ id }) => id)
        .toSorted(byText)
        .join(',')} ${mark}`,
    )
  if (ignored.length > 0) lines.push(`linkStyle ${ignored.join(',')} stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;`)
  return lines.map((line) => `${line}\n`).join('')
}

const prelude: readonly string[] = [
  'graph LR',
  '  classDef deprecated fill:#E8960F',
  '  classDef skipped stroke:#FF0000,stroke-width:4px',
  '  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px',
]

/** mermaid takes one class for each node. */
function marksOf({ isDeprecated, isSkipped }: DrawnEntry): readonly string[] {
  const mark = `${isDeprecated ? 'deprecated' : ''}${isSkipped ? 'skipped' : ''}`
  return mark === '' ? [] : [mark]
}

function stylesOf({ packages }: Drawing): readonly string[] {
  const channels = packages
    .flatMap(({ name, channels: all }) => all.map((channel) => ({ name, channel })))
    .filter(({ channel }) => channel.isDeprecated)
    .toSorted((one, other) => byText(one.channel.name, other.channel.name) || byText(one.name, other.name))
  return [
    ...packages.filter(({ isDeprecated }) => isDeprecated).map(({ name }) => `style ${idOf(name)} fill:#989695`),
    ...channels.map(({ name, channel }) => `style ${channelId(name, channel)} fill:#DCD0FF`),
  ]
}

/** A quoted title is the id as well, as long as mermaid can read it in `style`. */
function subgraphOf(name: string): string {
  const id = idOf(name)
  return id === name ? quoted(name) : `${id}[${quoted(name)}]`
}

function channelId(packageName: string, { name }: DrawnChannel): string {
  return idOf(`${packageName}-${name}`)
}

/** Words of mermaid's that no id may begin with, and dashes that it takes for an edge. */
const readable =
  /^(?!\d*(?:end|graph|flowchart|subgraph|style|linkStyle|classDef|class|default|interpolate)\b|(?:call|click|href|direction)$)\w(?:[\w+]|\.(?!-)|-(?=[\w+]))*$/

/** Ids that mermaid reads as they are stay as opm writes them. */
function idOf(text: string): string {
  return readable.test(text)
    ? text
    : `id_${text.replaceAll(/[^A-Za-z0-9]/g, (character) => `_${(character.codePointAt(0) ?? 0).toString(16)}_`)}`
}

/** Quotes a title. Entities are the only way to have quotes and line breaks in one. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["`\p{Cc}]|#(?=\w+;)/gu, (character) => `#${character.codePointAt(0) ?? 0};`)}"`
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
