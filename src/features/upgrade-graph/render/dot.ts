import type { Drawing, DrawnEdge, DrawnEntry } from './drawing.ts'

/** Draws a graph for Graphviz: `dot -Tsvg`. Pure. */
export function renderDot({ packages }: Drawing): string {
  const lines = ['digraph "upgrades" {', '  rankdir=LR', '  node [shape=box, style="rounded,filled", fillcolor="#FFFFFF"]']
  for (const { name, channels, isDeprecated } of packages) {
    lines.push(`  subgraph ${quoted(`cluster ${name}`)} {`, `    label=${quoted(name)}`, ...(isDeprecated ? ['    bgcolor="#989695"'] : []))
    for (const channel of channels) {
      const idOf = (entry: string): string => quoted(`${name}/${channel.name}/${entry}`)
      const drawn = new Set(channel.entries.map((entry) => entry.name))
      const elsewhere = new Set(channel.entries.flatMap(({ edges }) => edges.map(({ from }) => from)).filter((from) => !drawn.has(from)))
      lines.push(
        `    subgraph ${quoted(`cluster ${name}/${channel.name}`)} {`,
        `      label=${quoted(channel.name)}`,
        ...(channel.isDeprecated ? ['      bgcolor="#DCD0FF"'] : []),
        ...channel.entries.map((entry) => `      ${idOf(entry.name)} [label=${quoted(entry.name)}${attributesOf(entry)}]`),
        ...[...elsewhere].map((entry) => `      ${idOf(entry)} [label=${quoted(entry)}, style="rounded,dashed"]`),
        ...channel.entries.flatMap((entry) =>
          entry.edges.map(
            (edge) => `      ${idOf(edge.from)} -> ${idOf(entry.name)} [label=${quoted(labelOf(edge))}${edgeAttributes(edge)}]`,
          ),
        ),
        '    }',
      )
    }
    lines.push('  }')
  }
  return `${lines.join('\n')}\n}\n`
}

/** What is written at a step. Pure. */
export function labelOf({ kind, range }: DrawnEdge): string {
  return kind === 'skipRange' ? `skipRange(${range})` : kind
}

function attributesOf({ isDeprecated, isSkipped }: DrawnEntry): string {
  return `${isDeprecated ? ', fillcolor="#E8960F"' : ''}${isSkipped ? ', color="#FF0000", penwidth=4' : ''}`
}

function edgeAttributes({ isIgnored }: DrawnEdge): string {
  return isIgnored ? ', color="#FF0000", style=dashed' : ''
}

function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll(/\p{Cc}/gu, ' ')}"`
}
