import { pack } from 'tar-stream'

/** An entry of an archive that is made for a test; nothing is checked. */
export interface HeaderOfTar {
  readonly name: string
  readonly type?: 'file' | 'directory' | 'symlink' | 'link' | 'block-device' | 'character-device' | 'fifo'
  readonly linkname?: string
  readonly mode?: number
  /** User and group. */
  readonly owner?: number
  readonly content?: string | Buffer
}

/** Packs a tar archive. */
export async function packArchive(entries: readonly HeaderOfTar[]): Promise<Buffer> {
  const archive = pack()
  for (const { name, type = 'file', linkname, mode = type === 'directory' ? 0o755 : 0o644, owner = 0, content = '' } of entries) {
    const header = { name, type, mode, uid: owner, gid: owner, ...(linkname === undefined ? {} : { linkname }) }
    if (type === 'file') archive.entry(header, content)
    else archive.entry(header)
  }
  archive.finalize()
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>))
}
