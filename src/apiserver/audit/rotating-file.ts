import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'

/** Options of a file that is rotated. */
export interface RotatingFileOptions {
  readonly path: string
  /** Size before which the file is rotated. */
  readonly maxBytes: number
  /** Number of rotated files to keep. */
  readonly maxBackups: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Appends to a file with mode 0600. Rotated files are named `<name>-<time><extension>`. */
export class RotatingFile implements AsyncDisposable {
  readonly #options: RotatingFileOptions
  #file: FileHandle | undefined
  #bytes = 0

  constructor(options: RotatingFileOptions) {
    this.#options = options
  }

  /** Appends lines. Must not be called before the previous call has settled. */
  async append(lines: Buffer): Promise<void> {
    if (this.#file !== undefined && this.#bytes > 0 && this.#bytes + lines.length > this.#options.maxBytes) await this.#rotate()
    this.#file ??= await this.#open()
    await this.#file.appendFile(lines)
    this.#bytes += lines.length
  }

  async #open(): Promise<FileHandle> {
    const { path } = this.#options
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, 'a', 0o600)
    this.#bytes = (await stat(path)).size
    return file
  }

  async #rotate(): Promise<void> {
    const { path, maxBackups, now } = this.#options
    await this.#file?.close()
    this.#file = undefined
    const extension = extname(path)
    const stem = basename(path, extension)
    const time = new Date(now()).toISOString().replaceAll(':', '-').replace('Z', '')
    await rename(path, join(dirname(path), `${stem}-${time}${extension}`))
    // Names sort by time.
    const backups = (await readdir(dirname(path))).filter((name) => name.startsWith(`${stem}-`) && name.endsWith(extension)).toSorted()
    for (const name of backups.slice(0, Math.max(0, backups.length - maxBackups))) await rm(join(dirname(path), name), { force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }
}
