/** An entry of a layer. Paths have no leading slash; entries belong to root, or to `owner`. */
export type LayerEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number; readonly owner?: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Uint8Array }
  /** A copy of a file of this machine. */
  | { readonly kind: 'copy'; readonly path: string; readonly mode: number; readonly from: string; readonly owner?: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }

/** Two entries of one layer have the same path and differ. */
export class LayerConflict extends Error {
  override readonly name = 'LayerConflict'
}

/** Mode of folders that no entry names. */
const FOLDER_MODE = 0o755

/**
 * Returns the entries of an archive in order: sorted by path, with all parent folders, each path
 * once. The order of the input does not matter, so that an archive is reproducible.
 * @throws LayerConflict
 */
export function orderedEntries(entries: readonly LayerEntry[]): readonly LayerEntry[] {
  const byPath = new Map<string, LayerEntry>()
  for (const entry of entries) {
    const present = byPath.get(entry.path)
    if (present !== undefined && !isSame(present, entry))
      throw new LayerConflict(`Cannot write a layer: "${entry.path}" is in it twice, as ${nameOf(present)} and as ${nameOf(entry)}`)
    byPath.set(entry.path, entry)
  }
  for (const path of byPath.keys()) {
    for (const folder of parentsOf(path)) {
      const present = byPath.get(folder)
      if (present === undefined) byPath.set(folder, { kind: 'directory', path: folder, mode: FOLDER_MODE })
      else if (present.kind !== 'directory')
        throw new LayerConflict(`Cannot write a layer: "${path}" is below "${folder}", which is ${nameOf(present)}`)
    }
  }
  return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Removes the entries that a layer below has. Folders stay where a file needs them. */
export function entriesWithout(entries: readonly LayerEntry[], below: readonly LayerEntry[]): readonly LayerEntry[] {
  const there = new Set(below.map(({ path }) => path))
  return entries.filter(({ path }) => !there.has(path))
}

/** Returns the folders above a path, outermost first: `usr`, `usr/bin`. */
function parentsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

function isSame(a: LayerEntry, b: LayerEntry): boolean {
  if (a.kind === 'directory' && b.kind === 'directory') return a.mode === b.mode && a.owner === b.owner
  if (a.kind === 'link' && b.kind === 'link') return a.target === b.target
  if (a.kind === 'copy' && b.kind === 'copy') return a.from === b.from && a.mode === b.mode && a.owner === b.owner
  return a.kind === 'file' && b.kind === 'file' && a.mode === b.mode && Buffer.from(a.content).equals(b.content)
}

function nameOf(entry: LayerEntry): string {
  switch (entry.kind) {
    case 'directory':
      return 'a folder'
    case 'link':
      return `a link to "${entry.target}"`
    case 'copy':
      return `a copy of "${entry.from}"`
    case 'file':
      return 'a generated file'
  }
}
