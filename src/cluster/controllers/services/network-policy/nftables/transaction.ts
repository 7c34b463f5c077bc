import type { FilterSet, FilterTable } from './filter-table.ts'

const table = 'ip policies'

/**
 * Returns commands for nft that make a table what is wanted, all at once. Without knowledge of its
 * content it is made anew; otherwise only the sets and chains that differ are written. Empty when
 * none do. Pure.
 */
export function transaction(applied: FilterTable | undefined, wanted: FilterTable): string {
  if (applied === undefined) return `table ${table}\ndelete table ${table}\n${declaration(wanted)}`
  const sets = changes(applied.sets, wanted.sets)
  const chains = changes(applied.chains, wanted.chains)
  const flush = [
    ...[...chains.changed, ...chains.removed].map(([name]) => `flush chain ${table} ${name}`),
    ...[...sets.changed, ...sets.removed].map(([name, { kind }]) => `flush ${kind} ${table} ${name}`),
  ]
  const added = { sets: new Map([...sets.added, ...sets.changed]), chains: new Map([...chains.added, ...chains.changed]) }
  const remove = [
    ...chains.removed.map(([name]) => `delete chain ${table} ${name}`),
    ...sets.removed.map(([name, { kind }]) => `delete ${kind} ${table} ${name}`),
  ]
  const body = added.sets.size + added.chains.size === 0 ? '' : declaration(added)
  return `${[...flush, ''].join('\n')}${body}${[...remove, ''].join('\n')}`
}

interface Changes<T> {
  readonly added: readonly (readonly [string, T])[]
  readonly changed: readonly (readonly [string, T])[]
  readonly removed: readonly (readonly [string, T])[]
}

function changes<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): Changes<T> {
  const text = (value: T | undefined): string => JSON.stringify(value)
  return {
    added: [...after].filter(([name]) => !before.has(name)),
    changed: [...after].filter(([name, value]) => before.has(name) && text(before.get(name)) !== text(value)),
    removed: [...before].filter(([name]) => !after.has(name)),
  }
}

function declaration({ sets, chains }: FilterTable): string {
  const parts = [...[...sets].map(([name, set]) => setText(name, set)), ...[...chains].map(([name, lines]) => chainText(name, lines))]
  return `table ${table} {\n${parts.join('')}}\n`
}

function setText(name: string, { kind, type, elements }: FilterSet): string {
  const content = elements.length === 0 ? '' : `\n    elements = { ${elements.join(', ')} }`
  return `  ${kind} ${name} {\n    type ${type}${content}\n  }\n`
}

function chainText(name: string, lines: readonly string[]): string {
  return `  chain ${name} {\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`
}
