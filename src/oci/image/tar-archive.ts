import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Pack } from 'tar-stream'
import { orderedEntries, type LayerEntry } from './layer-entry.ts'

/**
 * Streams entries as a tar archive. Deterministic: entries are sorted, owned by user and group 0,
 * or by their owner, without names, and modified at `mtime`.
 */
export async function packTar(entries: readonly LayerEntry[], mtime: Date): Promise<Readable> {
  // Imported here, since only builds need it.
  const { pack } = await import('tar-stream')
  const archive = pack()
  const writing = writeEntries(archive, orderedEntries(entries), mtime)
  writing.catch((error: Error) => archive.destroy(error))
  return Readable.from(archive)
}

async function writeEntries(archive: Pack, entries: readonly LayerEntry[], mtime: Date): Promise<void> {
  for (const entry of entries) await writeEntry(archive, entry, mtime)
  archive.finalize()
}

async function writeEntry(archive: Pack, entry: LayerEntry, mtime: Date): Promise<void> {
  const id = 'owner' in entry ? (entry.owner ?? 0) : 0
  const owner = { uid: id, gid: id, uname: '', gname: '', mtime, name: entry.path }
  switch (entry.kind) {
    case 'directory':
      archive.entry({ ...owner, name: `${entry.path}/`, type: 'directory', mode: entry.mode })
      return
    case 'link':
      archive.entry({ ...owner, type: 'symlink', linkname: entry.target, mode: 0o777 })
      return
    case 'file':
      archive.entry({ ...owner, type: 'file', mode: entry.mode }, Buffer.from(entry.content))
      return
    case 'copy': {
      const { size } = await stat(entry.from)
      const sink = archive.entry({ ...owner, type: 'file', mode: entry.mode, size })
      // A consumer that fails ends the entry with its error, which the archive reports itself.
      sink.on('error', () => {})
      for await (const chunk of createReadStream(entry.from, { highWaterMark: 1 << 20 })) {
        if (!sink.write(chunk)) await new Promise((resolve) => sink.once('drain', () => resolve(undefined)))
      }
      sink.end(undefined)
    }
  }
}
