import { execFile } from 'node:child_process'

/** Output of `qemu-img info` for a file. */
export interface DiskImage {
  readonly format: 'raw' | 'qcow2' | (string & {})
  /** Size that the guest sees, in bytes. */
  readonly virtualBytes: number
}

/** `qemu-img` failed. The message contains its output. */
export class DiskImageError extends Error {
  override readonly name = 'DiskImageError'
}

/** Reads format and size. Works on images that a running guest has open. @throws DiskImageError */
export async function inspectDiskImage(path: string, signal?: AbortSignal): Promise<DiskImage> {
  const text = await qemuImg(['info', '-U', '--output=json', path], signal)
  const info = JSON.parse(text) as { format: string; 'virtual-size': number }
  return { format: info.format, virtualBytes: info['virtual-size'] }
}

/** Creates an empty qcow2 image. @throws DiskImageError */
export async function createDiskImage(path: string, bytes: number, signal?: AbortSignal): Promise<void> {
  await qemuImg(['create', '-q', '-f', 'qcow2', path, String(bytes)], signal)
}

/**
 * Creates a qcow2 image whose unwritten blocks are read from `backing`, which must never change.
 * The backing file is not opened: its path is that of QEMU, which may see other mounts.
 * @throws DiskImageError
 */
export async function createOverlay(path: string, backing: DiskImage & { readonly path: string }, signal?: AbortSignal): Promise<void> {
  const { path: file, format, virtualBytes } = backing
  await qemuImg(['create', '-q', '-u', '-f', 'qcow2', '-b', file, '-F', format, path, String(virtualBytes)], signal)
}

function qemuImg(args: readonly string[], signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('qemu-img', args, { timeout: 60_000, ...(signal === undefined ? {} : { signal }) }, (cause, stdout, stderr) => {
      if (cause === null) return resolve(stdout)
      const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
      const why = missing ? 'qemu-img is not installed; install it with "apt-get install qemu-utils"' : stderr.trim() || cause.message
      reject(new DiskImageError(`Cannot run "qemu-img ${args[0]}": ${why}`, { cause }))
    })
  })
}
