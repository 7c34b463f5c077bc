import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProgress } from './progress.ts'
import type { ImportResult, ImportSource, ImportTask } from './task/task.ts'
import { systemTime } from './time.ts'
import { runTask, type WorkerPorts } from './worker.ts'

const mebibyte = 1024 * 1024

/** A volume in a temporary folder, and a worker that fills it. */
export interface TestVolume extends AsyncDisposable {
  readonly folder: string
  readonly disk: string
  readonly secrets: string
  run(source: ImportSource, changes?: Partial<ImportTask>, ports?: Partial<WorkerPorts>): Promise<ImportResult>
  task(source: ImportSource, changes?: Partial<ImportTask>): ImportTask
  /** SHA-256 of the first bytes of the disk. */
  digest(bytes: number): Promise<string>
  /** Names in the volume. */
  names(): Promise<readonly string[]>
}

/** Creates a volume of some MiB. */
export async function createTestVolume(mebibytes: number = 64): Promise<TestVolume> {
  const root = await mkdtemp(join(tmpdir(), 'importer-'))
  const folder = join(root, 'volume')
  const secrets = join(root, 'secrets')
  await mkdir(folder)
  for (const name of ['credentials', 'headers/one', 'authorities']) await mkdir(join(secrets, name), { recursive: true })
  const disk = join(folder, 'disk.img')
  const task = (source: ImportSource, changes: Partial<ImportTask> = {}): ImportTask => ({
    source,
    contentType: 'kubevirt',
    target: disk,
    volumeBytes: mebibytes * mebibyte,
    overhead: 0,
    preallocation: false,
    ...changes,
  })
  return {
    folder,
    disk,
    secrets,
    task,
    run: (source, changes, ports) =>
      runTask(task(source, changes), {
        path: process.env['PATH'] ?? '',
        signal: AbortSignal.timeout(60_000),
        progress: createProgress(),
        time: { ...systemTime, sleep: (_ms, signal) => systemTime.sleep(1, signal) },
        patience: { idleMs: 2_000, windowMs: 4_000, windowBytes: 64 * 1024 },
        tries: 3,
        secrets: {
          credentials: join(secrets, 'credentials'),
          headers: join(secrets, 'headers'),
          authorities: join(secrets, 'authorities'),
        },
        scratch: { mounted: undefined, temporary: root },
        proxies: {},
        uploads: undefined,
        ...ports,
      }),
    async digest(bytes) {
      await using file = await open(disk)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
      return sha256(buffer.subarray(0, bytesRead))
    },
    names: async () => (await readdir(folder)).toSorted(),
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** SHA-256 in hexadecimal. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A raw disk of some MiB, with data, zeros and data that can be compressed. */
export function rawDisk(mebibytes: number = 8): Buffer {
  const disk = Buffer.alloc(mebibytes * mebibyte)
  randomBytes(mebibyte).copy(disk, 0)
  disk.fill('steady', 3 * mebibyte, 3 * mebibyte + 300_000)
  randomBytes(70_001).copy(disk, disk.length - 100_000)
  return disk
}

/** Converts a raw disk by qemu-img. */
export async function convertTo(disk: Buffer, format: string, options: readonly string[] = []): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'importer-image-'))
  try {
    await writeFile(join(folder, 'raw'), disk)
    execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', format, ...options, join(folder, 'raw'), join(folder, 'image')])
    return await readFile(join(folder, 'image'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The HTTP source of an address. */
export function httpSource(url: string, checksum?: string): ImportSource {
  return { kind: 'http', url, headers: [], insecureSkipVerify: false, ...(checksum === undefined ? {} : { checksum }) }
}
