import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { replaceLink } from './replace-link.ts'

/** A file inside a volume. The path is relative and never leaves the volume. */
export interface PayloadFile {
  readonly path: string
  readonly content: Uint8Array
  readonly mode: number
}

/** A path that would leave its volume. */
export class PayloadPathError extends Error {
  override readonly name = 'PayloadPathError'
}

/**
 * Replaces the whole content of a volume in one step: files lie in a fresh directory, `..data`
 * points to it and is renamed over, and the visible names are links through `..data`. A reader sees
 * the old set or the new one, never a mixture. Nothing happens when the content is the same.
 */
export async function writePayload(volume: string, files: readonly PayloadFile[], group?: number): Promise<void> {
  for (const file of files) assertInside(file.path)
  await mkdir(volume, { recursive: true })
  const names = new Set(files.map((file) => file.path.split('/')[0] ?? ''))
  const prefix = `..payload-${digestOf(files, group)}-`
  const old = await readlink(join(volume, '..data')).catch(() => '')
  if (old.startsWith(prefix) && (await isComplete(volume, names))) return
  const fresh = await mkdtemp(join(volume, prefix))
  for (const file of files) await writeInto(join(fresh, file.path), file)
  if (group !== undefined) await giveToGroup(volume, fresh, group)
  await replaceLink(join(volume, '..data'), basename(fresh))
  await linkNames(volume, names)
  // Also of those whose writers died.
  const stale = (await readdir(volume)).filter((name) => name.startsWith('..payload-') && name !== basename(fresh))
  for (const name of stale) await rm(join(volume, name), { recursive: true, force: true })
}

/** Reports whether the last writer completed. */
async function isComplete(volume: string, names: ReadonlySet<string>): Promise<boolean> {
  const entries = await readdir(volume)
  const visible = entries.filter((name) => !name.startsWith('..'))
  return visible.length === names.size && visible.every((name) => names.has(name)) && entries.length === names.size + 2
}

/** Grants a group the owner's right to read. */
async function giveToGroup(volume: string, fresh: string, group: number): Promise<void> {
  const entries = await readdir(fresh, { recursive: true, withFileTypes: true })
  for (const path of [volume, fresh, ...entries.map((entry) => join(entry.parentPath, entry.name))]) {
    const { mode, uid } = await stat(path)
    await chown(path, uid, group)
    await chmod(path, (mode & 0o7777) | ((mode & 0o500) >> 3))
  }
}

function digestOf(files: readonly PayloadFile[], group: number | undefined): string {
  const hash = createHash('sha256').update(String(group ?? ''))
  for (const { path, mode, content } of files) hash.update(JSON.stringify([path, mode, content.length])).update(content)
  return hash.digest('hex').slice(0, 16)
}

async function writeInto(path: string, file: PayloadFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, file.content, { mode: file.mode })
}

async function linkNames(volume: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of names) await replaceLink(join(volume, name), join('..data', name))
  const stale = (await readdir(volume)).filter((name) => !name.startsWith('..') && !names.has(name))
  for (const name of stale) await rm(join(volume, name), { force: true })
}

function assertInside(path: string): void {
  const normal = normalize(path)
  if (normal.startsWith('/') || normal.startsWith('..') || normal === '.') {
    throw new PayloadPathError(`Path "${path}" must be relative and stay inside the volume`)
  }
}
