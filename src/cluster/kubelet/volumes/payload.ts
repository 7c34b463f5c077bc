import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { replaceLink } from './link.ts'

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
 * Replaces the whole content of a volume in one step: files lie in a fresh directory, `..data` points to it and is renamed over, and the
 * visible names are links through `..data`. A reader sees the old set or the new one, never a mixture.
 */
export async function writePayload(volume: string, files: readonly PayloadFile[]): Promise<void> {
  for (const file of files) assertInside(file.path)
  await mkdir(volume, { recursive: true })
  const fresh = await mkdtemp(join(volume, '..payload-'))
  for (const file of files) await writeInto(join(fresh, file.path), file)
  const old = await readlink(join(volume, '..data')).catch(() => undefined)
  await replaceLink(join(volume, '..data'), fresh.slice(volume.length + 1))
  await linkNames(volume, new Set(files.map((file) => file.path.split('/')[0] ?? '')))
  if (old !== undefined) await rm(join(volume, old), { recursive: true, force: true })
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
