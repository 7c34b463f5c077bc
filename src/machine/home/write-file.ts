import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file atomically and durably. Skips unchanged content. Reports whether it wrote. */
export async function replaceFile(path: string, content: string, mode: number = 0o644): Promise<boolean> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === content) return false
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.new-${process.pid}`
  await writeFile(temporary, content, { mode, flush: true })
  await rename(temporary, path)
  return true
}
