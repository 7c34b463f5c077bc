import { pack } from 'tar-stream'

/** An entry of an archive that is made for a test; nothing is checked. */
export interface HeaderOfTar {
  readonly name: string
  readonly type?: 'file' | 'directory' | 'symlink' | 'link' | 'block-device' | 'character-device' | 'fifo'
  readonly linkname?: string
  readonly mode?: number
  readonly content?: string | Buffer
}

/** Packs a tar archive. */
export async function packArchive(entries: readonly HeaderOfTar[]): Promise<Buffer> {
  const archive = pack()
  for (const { name, type = 'file', linkname, mode = 0o644, content = '' } of entries) {
    const header = { name, type, mode, ...(linkname === undefined ? {} : { linkname }) }
    if (type === 'file') archive.entry(header, content)
    else archive.entry(header)
  }
  archive.finalize()
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>))
}
