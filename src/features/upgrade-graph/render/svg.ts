import type Dagre from '@dagrejs/dagre'
import { labelOf } from './dot.ts'
import type { Drawing, DrawnChannel, DrawnEdge, DrawnEntry } from './drawing.ts'

const fontSize = 13
const padding = 20
const titleHeight = 26
const style = `text{font:${fontSize}px sans-serif}.node{fill:#fff;stroke:#555}.deprecated{fill:#E8960F}.skipped{stroke:#f00;stroke-width:4}.missing{stroke-dasharray:4}.edge{fill:none;stroke:#555}.ignored{stroke:#f00;stroke-width:3;stroke-dasharray:5}.package,.channel{fill:#f7f7f7;stroke:#999}.channel{fill:#fff}.package.deprecated{fill:#989695}.channel.deprecated{fill:#DCD0FF}.label{font-size:10px;fill:#555}`

/** A part of the picture, from its upper left corner on. */
interface Block {
  readonly width: number
  readonly height: number
  readonly parts: readonly string[]
}

/**
 * Draws a graph as a picture that needs no other program: versions from left to right. The library
 * is loaded for a drawing only.
 */
export async function renderSvg({ packages }: Drawing): Promise<string> {
  const { default: dagre } = await import('@dagrejs/dagre')
  const whole = stacked(
    packages.map(({ name, isDeprecated, channels }) =>
      framed(`package${isDeprecated ? ' deprecated' : ''}`, name, stacked(channels.map((channel) => channelBlock(channel, dagre)))),
    ),
  )
  const size = `width="${whole.width}" height="${whole.height}" viewBox="0 0 ${whole.width} ${whole.height}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size}>`,
    `<style>${style}</style>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
    ...whole.parts,
    '</svg>\n',
  ].join('\n')
}

function stacked(blocks: readonly Block[]): Block {
  let y = padding
  const parts: string[] = []
  for (const block of blocks) {
    parts.push(`<g transform="translate(${padding} ${y})">`, ...block.parts, '</g>')
    y += block.height + padding
  }
  return { width: Math.max(0, ...blocks.map(({ width }) => width)) + 2 * padding, height: y, parts }
}

function framed(kind: string, title: string, { width, height, parts }: Block): Block {
  const outer = { width: Math.max(width, widthOf(title) + 2 * padding), height: height + titleHeight }
  return {
    ...outer,
    parts: [
      `<rect class="${kind}" width="${outer.width}" height="${outer.height}" rx="6"/>`,
      `<text x="${padding / 2}" y="${titleHeight - 8}" font-weight="bold">${escaped(title)}</text>`,
      `<g transform="translate(0 ${titleHeight})">`,
      ...parts,
      '</g>',
    ],
  }
}

interface NodeSize {
  readonly label: string
  readonly kind: string
  readonly width: number
  readonly height: number
}

function channelBlock({ name, isDeprecated, entries }: DrawnChannel, dagre: typeof Dagre): Block {
  const layout = new dagre.graphlib.Graph({ multigraph: true })
  layout.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 70, marginx: padding, marginy: padding / 2 })
  const add = (label: string, kind: string): void =>
    void layout.setNode(`n${label}`, { label, kind, width: widthOf(label) + 20, height: 30 })
  for (const entry of entries) add(entry.name, kindOf(entry))
  for (const { edges } of entries) for (const { from } of edges) if (!layout.hasNode(`n${from}`)) add(from, 'node missing')
  const steps = entries.flatMap((entry) => joined(entry.edges).map((edge) => ({ ...edge, to: entry.name })))
  for (const { from, to, label } of steps)
    layout.setEdge(`n${from}`, `n${to}`, { label, labelpos: 'c', width: widthOf(label) * 0.8 + 8, height: 14 }, label)
  dagre.layout(layout)
  const { width = 0, height = 0 } = layout.graph()
  const edges = steps.map(({ from, to, label, isIgnored }) =>
    edgePart(layout.edge(`n${from}`, `n${to}`, label) as EdgePlace, label, isIgnored),
  )
  const nodes = layout.nodes().map((id: string) => nodePart(layout.node(id) as NodeSize & { readonly x: number; readonly y: number }))
  return framed(`channel${isDeprecated ? ' deprecated' : ''}`, name, {
    width: Math.ceil(width),
    height: Math.ceil(height),
    parts: [...edges, ...nodes],
  })
}

/** Steps of several kinds between the same versions are one line. */
function joined(edges: readonly DrawnEdge[]): readonly { readonly from: string; readonly label: string; readonly isIgnored: boolean }[] {
  return [...Map.groupBy(edges, ({ from }) => from)].map(([from, all]) => ({
    from,
    label: [...new Set(all.map(labelOf))].join(', '),
    isIgnored: all.every(({ isIgnored }) => isIgnored),
  }))
}

function kindOf({ isDeprecated, isSkipped }: DrawnEntry): string {
  return `node${isDeprecated ? ' deprecated' : ''}${isSkipped ? ' skipped' : ''}`
}

interface EdgePlace {
  readonly points: readonly { readonly x: number; readonly y: number }[]
  readonly x?: number
  readonly y?: number
}

function edgePart({ points, x = 0, y = 0 }: EdgePlace, label: string, isIgnored: boolean): string {
  const path = points.map((point, index) => `${index === 0 ? 'M' : 'L'}${rounded(point.x)} ${rounded(point.y)}`).join('')
  return [
    `<path class="edge${isIgnored ? ' ignored' : ''}" marker-end="url(#arrow)" d="${path}"/>`,
    `<text class="label" text-anchor="middle" x="${rounded(x)}" y="${rounded(y - 3)}">${escaped(label)}</text>`,
  ].join('')
}

function nodePart({ label, kind, width, height, x, y }: NodeSize & { readonly x: number; readonly y: number }): string {
  const box = `x="${rounded(x - width / 2)}" y="${rounded(y - height / 2)}" width="${rounded(width)}" height="${height}"`
  return `<rect class="${kind}" ${box} rx="4"/><text text-anchor="middle" x="${rounded(x)}" y="${rounded(y + 4)}">${escaped(label)}</text>`
}

/** The width of a text, by and large: fonts differ. */
function widthOf(text: string): number {
  return Math.ceil(text.length * fontSize * 0.56)
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '').replaceAll(/\p{Cc}/gu, ' ')
}
