import type { QmpConnection } from '../qmp/connection.ts'
import { objectNames } from './settings.ts'

/**
 * Note about an attempt in the source's QEMU: it was begun, its stream was started, or it was
 * cancelled and why. Stored as the text of an otherwise unused object in QEMU, so that it ends with
 * the guest and the next driver of the migration can read it.
 */
export type Note = { readonly phase: 'begun' | 'started' } | { readonly phase: 'failed' | 'cancelled'; readonly reason: string }

const prefix = 'migration-note-'

/** The note of an attempt; undefined when it was not begun. */
export async function readNote(qmp: QmpConnection, id: string): Promise<Note | undefined> {
  const name = `${prefix}${id}`
  if (!(await objectNames(qmp)).includes(name)) return undefined
  const text = String(await qmp.execute('qom-get', { path: `/objects/${name}`, property: 'identity' }))
  return parseNote(text)
}

/** Writes the note of an attempt, and removes those of earlier ones. */
export async function writeNote(qmp: QmpConnection, id: string, note: Note): Promise<void> {
  const name = `${prefix}${id}`
  const names = await objectNames(qmp)
  for (const other of names) if (other.startsWith(prefix) && other !== name) await qmp.execute('object-del', { id: other })
  const identity = 'reason' in note ? `${note.phase} ${note.reason}` : note.phase
  if (names.includes(name)) await qmp.execute('qom-set', { path: `/objects/${name}`, property: 'identity', value: identity })
  else await qmp.execute('object-add', { 'qom-type': 'authz-simple', id: name, identity })
}

function parseNote(text: string): Note {
  const [phase = '', ...words] = text.split(' ')
  if (phase === 'failed' || phase === 'cancelled') return { phase, reason: words.join(' ') }
  return { phase: phase === 'started' ? 'started' : 'begun' }
}
