/** A file, directory or link of an initramfs. Paths have no leading slash. */
export type ArchiveEntry =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly content: Uint8Array; readonly executable: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }

const DIRECTORY = 0o040755
const FILE = 0o100644
const EXECUTABLE = 0o100755
const LINK = 0o120777

/** Packs entries as a `newc` cpio archive, the format of an initramfs. Deterministic. */
export function packCpio(entries: readonly ArchiveEntry[]): Buffer {
  const parts: Buffer[] = []
  entries.forEach((entry, index) => parts.push(...record(entry.path, modeOf(entry), bodyOf(entry), index + 1)))
  parts.push(...record('TRAILER!!!', 0, Buffer.alloc(0), 0))
  return Buffer.concat(parts)
}

function modeOf(entry: ArchiveEntry): number {
  switch (entry.kind) {
    case 'directory':
      return DIRECTORY
    case 'link':
      return LINK
    case 'file':
      return entry.executable ? EXECUTABLE : FILE
  }
}

function bodyOf(entry: ArchiveEntry): Uint8Array {
  switch (entry.kind) {
    case 'directory':
      return Buffer.alloc(0)
    case 'link':
      return Buffer.from(entry.target)
    case 'file':
      return entry.content
  }
}

function record(path: string, mode: number, body: Uint8Array, inode: number): Buffer[] {
  const name = Buffer.from(`${path}\0`)
  const links = 1
  const fields = [inode, mode, 0, 0, links, 0, body.length, 0, 0, 0, 0, name.length, 0]
  const header = Buffer.from(`070701${fields.map((value) => value.toString(16).padStart(8, '0')).join('')}`)
  return [header, name, padding(header.length + name.length), Buffer.from(body), padding(body.length)]
}

function padding(length: number): Buffer {
  return Buffer.alloc((4 - (length % 4)) % 4)
}
