import type { CliContext } from '../context.ts'

const CODES = { bold: [1, 22], dim: [2, 22], green: [32, 39], yellow: [33, 39], red: [31, 39] } as const

/** Colours text on terminals, unless NO_COLOR is set. */
export type Paint = (style: keyof typeof CODES, text: string) => string

/** Returns the {@link Paint} of a stream. */
export function paintFor(context: CliContext, stream: 'stdout' | 'stderr'): Paint {
  const plain = context.process[stream].isTTY !== true || (context.process.env['NO_COLOR'] ?? '') !== ''
  return (style, text) => (plain ? text : `\u001B[${CODES[style][0]}m${text}\u001B[${CODES[style][1]}m`)
}

/** Renders aligned columns, three spaces apart; the last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)))
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('   ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}

/** Formats a duration: `0.30 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}
