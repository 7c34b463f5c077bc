import { ImportFailure } from '../failure.ts'
import type { DiskFormat } from '../format/detect.ts'
import type { ProgramContext } from './program.ts'
import { describeEnd, type ProgramEnd, runProgram } from './program.ts'

/** What `qemu-img info` tells about an image. */
export interface ImageInfo {
  readonly virtualBytes: number
}

/** Name of a format for QEMU. */
function driverOf(format: DiskFormat): string {
  return format === 'vhd' ? 'vpc' : format
}

const gibibyte = 1024 ** 3
/** Address space. QEMU reads tables of up to some 100 MiB, and starts threads. */
const memoryBytes = 2 * gibibyte

interface Info {
  readonly format?: string
  readonly 'virtual-size'?: number
  readonly encrypted?: boolean
  readonly 'backing-filename'?: string
  readonly 'format-specific'?: {
    readonly data?: { readonly 'data-file'?: string; readonly extents?: readonly { readonly filename?: string }[] }
  }
}

/**
 * Asks QEMU about an image whose header was read already. @throws ImportFailure for images that are
 * damaged, or need other files or keys
 */
export async function inspectImage(
  path: string,
  format: DiskFormat,
  context: ProgramContext,
  driver: 'file' | 'host_device' = 'file',
): Promise<ImageInfo> {
  const command = ['qemu-img', 'info', '-f', driverOf(format), '--output=json', `${driver}:${path}`] as const
  const end = await runProgram([...command], { memoryBytes, cpuSeconds: 30, fileBytes: 0 }, context, { longestOutput: 4 * 1024 * 1024 })
  if (end.code !== 0) throw unreadable(format, end)
  const info = JSON.parse(end.output) as Info
  if (info['backing-filename'] !== undefined)
    throw new ImportFailure('BackingFileRefused', 'The image has a backing file: flatten it with "qemu-img convert", and import the result')
  const data = info['format-specific']?.data
  if (data?.['data-file'] !== undefined || (data?.extents ?? []).some(({ filename }) => !isSameFile(filename, path)))
    throw new ImportFailure('ExternalDataRefused', 'The image has data in other files: make one of all with "qemu-img convert"')
  if (info.encrypted === true)
    throw new ImportFailure('EncryptedImageRefused', 'The image is encrypted, and there is no key: decrypt it with "qemu-img convert"')
  const virtualBytes = info['virtual-size']
  if (virtualBytes === undefined || !Number.isSafeInteger(virtualBytes) || virtualBytes <= 0)
    throw new ImportFailure('ImageInvalid', `The image is no valid ${format}: QEMU finds no size in it`)
  return { virtualBytes }
}

/** Exit code of `qemu-img check` for a damaged image; that of lost clusters is 3. */
const isDamaged = 2

/**
 * Checks the tables of a qcow2: QEMU reads what lies behind the end of a file that was cut off as
 * zeros. @throws ImportFailure
 */
export async function checkImage(path: string, context: ProgramContext): Promise<void> {
  const end = await runProgram(
    ['qemu-img', 'check', '-q', '-f', 'qcow2', `file:${path}`],
    { memoryBytes, cpuSeconds: 300, fileBytes: 0 },
    context,
  )
  if (end.code === isDamaged)
    throw new ImportFailure('ImageInvalid', `The image is damaged (${describeEnd(end)}): check it with "qemu-img check"`)
}

function isSameFile(filename: string | undefined, path: string): boolean {
  return filename === undefined || filename === path || filename === `file:${path}`
}

/** Where a converted disk goes. */
export interface ConvertTarget {
  readonly path: string
  /** The driver of QEMU: a file is made anew, a device is written into. */
  readonly driver: 'file' | 'host_device'
  /** The file is there, and must stay the same one. */
  readonly isKept: boolean
  /** Bytes of the disk. */
  readonly bytes: number
}

/** An image that is converted. */
interface ConvertSource {
  readonly path: string
  readonly format: DiskFormat
  /** A file unless it is a device. */
  readonly driver?: 'file' | 'host_device'
}

/** Converts an image to a raw disk. @throws ImportFailure */
export async function convertImage(
  source: ConvertSource,
  target: ConvertTarget,
  context: ProgramContext,
  onPercent: (percent: number) => void,
): Promise<void> {
  const command = [
    'qemu-img',
    'convert',
    '-p',
    ...(target.isKept ? ['-n'] : []),
    '--image-opts',
    '-O',
    'raw',
    '-t',
    'writeback',
    '-S',
    '4k',
    // Several pieces at once, in the order in which they are ready.
    '-W',
    '-m',
    '4',
    lockedSource(source),
    `${target.driver}:${target.path}`,
  ] as const
  // The time for the largest disk at the speed of a slow processor.
  const cpuSeconds = 120 + target.bytes / (8 * 1024 * 1024)
  const end = await runProgram([...command], { memoryBytes, cpuSeconds, fileBytes: target.bytes }, context, {
    longestOutput: 0,
    onOutput(text) {
      const percent = /\((\d+\.\d+)\/100%\)/.exec(text)?.[1]
      if (percent !== undefined) onPercent(Number(percent))
    },
  })
  if (end.code === 0) return
  if (/No space left on device|Disk quota exceeded/.test(end.complaint))
    throw new ImportFailure('NoSpace', `The volume is full (${end.complaint}): use a larger one`)
  throw unreadable(source.format, end)
}

/**
 * Names a source that QEMU does not read while a guest may write to it: left to itself, it omits
 * locks without a word where it may not write to /dev/null.
 */
function lockedSource({ path, format, driver = 'file' }: ConvertSource): string {
  // A comma that is doubled is part of the value.
  const filename = path.replaceAll(',', ',,')
  return `driver=${driverOf(format)},file.driver=${driver},file.locking=on,file.filename=${filename}`
}

function unreadable(format: DiskFormat, end: ProgramEnd): ImportFailure {
  return new ImportFailure('ImageInvalid', `The image cannot be read as ${format} (${describeEnd(end)}): check it with "qemu-img check"`, {
    // A process that was killed, and errors of the storage, say nothing about the image.
    fatal: end.killedBy === null && !/Input\/output error|Permission denied|Cannot allocate|failed to get/i.test(end.complaint),
  })
}
