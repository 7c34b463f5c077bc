import type { FileHandle } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { withChecksum } from '../checksum.ts'
import type { Content, ContentSource } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import { decompressed } from '../format/decompress.ts'
import { detect, type DiskFormat, headBytes } from '../format/detect.ts'
import { readDiskHeader } from '../format/disk-header.ts'
import { withHead } from '../format/head.ts'
import type { Progress, Stage } from '../progress.ts'
import type { ImportResult } from '../task/task.ts'
import type { Time } from '../time.ts'
import { type Background, createBackground } from './background.ts'
import { finishDisk } from './finish.ts'
import type { Note } from './note.ts'
import type { ProgramContext } from './program.ts'
import { checkImage, convertImage, inspectImage } from './qemu-img.ts'
import { createSparseWriter } from './sparse-writer.ts'
import type { Target } from './target.ts'
import { type DiskSize, requireRoom, tooLong } from './volume-size.ts'

/** Content that becomes a disk. */
export interface DiskContent {
  readonly source: ContentSource
  /** Digest of the bytes as they are read. */
  readonly checksum?: string | undefined
  readonly preallocation: boolean
  /** The bytes are those of the disk, whatever they look like: a guest has written them. */
  readonly isDisk?: boolean
  /** Name of the time in which bytes arrive. */
  readonly stage: Stage
  /** Called when all bytes have arrived and are what they must be. */
  readonly onReceived?: () => void
}

/** What filling a disk needs. */
export interface FillPorts extends ProgramContext {
  readonly progress: Progress
  /** Bytes between two notes: what is read again after a kill. Default: 64 MiB. */
  readonly noteBytes?: number
  /**
   * Milliseconds before the first note of an image that is converted, and between two: what was
   * downloaded in less is not made lasting, since it is gone soon. Default: two seconds.
   */
  readonly noteMs?: number
  readonly time: Pick<Time, 'now'>
}

/**
 * Fills a disk: raw content is written to it as it arrives, anything else is kept in a file and
 * converted. Continues what an earlier run has left. @throws ImportFailure
 */
export async function fillDisk(content: DiskContent, target: Target, ports: FillPorts): Promise<ImportResult> {
  const note = await target.note.read()
  const isThere = note?.state === 'downloaded' && (await target.bytesOf(placeOf(note.format, target))) > 0
  await using background = createBackground()
  const stored = isThere ? note : await receive(content, target, note, { ...ports, background })
  content.onReceived?.()
  const bytes = stored.format === 'raw' ? await target.bytesOf(target.disk) : await convert(stored.format, target, ports)
  await background.end()
  ports.progress.stage('Finishing')
  return finishDisk(target, { bytes, preallocation: content.preallocation, labels: stored.labels }, ports)
}

type Downloaded = Extract<Note, { readonly state: 'downloaded' }>
type Downloading = Extract<Note, { readonly state: 'downloading' }>

interface ReceivePorts extends FillPorts {
  /** Makes lasting what has arrived, while more arrives or is converted. */
  readonly background: Background
}

/** Brings the whole content to the volume, and verifies it. */
async function receive(content: DiskContent, target: Target, note: Note | undefined, ports: ReceivePorts): Promise<Downloaded> {
  const { signal, progress, time, background } = ports
  const started = time.now()
  const earlier = note?.state === 'downloading' ? await usable(note, target) : undefined
  if (earlier === undefined) await target.clean()
  progress.stage('Connecting')
  const opened = await content.source.open(earlier, signal)
  try {
    const isContinued = earlier !== undefined && opened.start > 0
    // A note about bytes that are about to be replaced would lead to a mix.
    if (earlier !== undefined && !isContinued) {
      await target.note.remove()
      await target.clean()
    }
    const counted = { ...opened, chunks: counting(opened, progress) }
    const before = (): AsyncIterable<Buffer> =>
      createReadStream(placeOf(earlier?.format, target), { end: opened.start - 1, highWaterMark: 1 << 20 })
    const checked = content.checksum === undefined ? counted : withChecksum(counted, content.checksum, before)
    progress.stage(content.stage)
    progress.expect(opened.total)
    const disk = isContinued
      ? { format: earlier.format, chunks: checked.chunks, isPlain: true }
      : content.isDisk === true
        ? rawDisk(checked, target.size)
        : await recognize(checked, target.size, ports)
    const validator = disk.isPlain ? opened.validator : undefined
    const note = (offset: number): Downloading | undefined =>
      validator === undefined
        ? undefined
        : { state: 'downloading', format: disk.format, offset, validator, ...(opened.total === undefined ? {} : { total: opened.total }) }
    await save(disk, { target, isContinued, start: opened.start, note, ports })
    await checked.verify()
    const downloaded: Downloaded = {
      state: 'downloaded',
      format: disk.format,
      labels: content.source.labels?.() ?? {},
      ...(opened.validator === undefined ? {} : { validator: opened.validator }),
    }
    if (disk.format === 'raw' || content.onReceived !== undefined) await keep(downloaded, target)
    else if (time.now() - started >= (ports.noteMs ?? usualNoteMs)) background.start(() => keep(downloaded, target))
    return downloaded
  } finally {
    await (opened.chunks as AsyncGenerator<Buffer>).return?.(undefined)
  }
}

/** Notes that everything is there, so that a power cut cannot lose it. */
async function keep(downloaded: Downloaded, target: Target): Promise<void> {
  const file = downloaded.format === 'raw' ? await target.open(true) : await target.openDownload(true)
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
  await target.note.write(downloaded)
}

/** What is left of an earlier download, if it has the bytes that its note tells. */
async function usable(note: Downloading, target: Target): Promise<Downloading | undefined> {
  return (await target.bytesOf(placeOf(note.format, target))) >= note.offset ? note : undefined
}

function placeOf(format: DiskFormat | undefined, target: Target): string {
  return format === 'raw' ? target.disk : target.download
}

async function* counting({ chunks, start }: Content, progress: Progress): AsyncGenerator<Buffer> {
  let position = start
  for await (const chunk of chunks) {
    position += chunk.length
    progress.at(position)
    yield chunk
  }
}

interface RecognizedDisk {
  readonly format: DiskFormat
  readonly chunks: AsyncIterable<Buffer>
  /** The bytes are those of the source, and not unpacked ones. */
  readonly isPlain: boolean
}

function rawDisk({ total, chunks }: Content, size: DiskSize): RecognizedDisk {
  if (total !== undefined) requireRoom(total, size)
  return { format: 'raw', chunks, isPlain: true }
}

/**
 * Tells by the first bytes what the content is, and refuses what cannot become the disk before
 * anything is stored. @throws ImportFailure
 */
async function recognize(content: Content, size: DiskSize, context: ProgramContext): Promise<RecognizedDisk> {
  const outer = await withHead(content.chunks, headBytes)
  const found = detect(outer.head)
  const inner = found.kind === 'compressed' ? await withHead(decompressed(found.compression, outer.chunks, context), headBytes) : outer
  try {
    const detected = inner === outer ? found : detect(inner.head)
    if (inner.head.length === 0) throw new ImportFailure('ImageInvalid', 'The source is empty: check its address')
    switch (detected.kind) {
      case 'compressed':
        throw new ImportFailure('FormatUnsupported', 'The image is compressed twice: compress it once')
      case 'tar':
        throw new ImportFailure(
          'FormatUnsupported',
          'The source is a tar archive, such as an OVA: import the disk in it, or the archive with contentType "archive"',
        )
      case 'other':
        throw new ImportFailure('FormatUnsupported', `The source is no disk that can be imported. It is ${detected.name}`)
      case 'disk':
    }
    const { virtualBytes } = readDiskHeader(detected.format, inner.head)
    const isPlain = inner === outer
    const bytes = detected.format === 'raw' && isPlain ? content.total : virtualBytes
    if (bytes !== undefined) requireRoom(bytes, size)
    if (isPlain && (content.total ?? 0) > imageSize(size).largest) throw tooLong(size)
    return { format: detected.format, chunks: inner.chunks, isPlain }
  } catch (error) {
    await inner.close()
    throw error
  }
}

const usualNoteBytes = 64 * 1024 * 1024
const usualNoteMs = 2000

interface SaveOptions {
  readonly target: Target
  readonly isContinued: boolean
  readonly start: number
  /** The note for a position; undefined if the download cannot be continued. */
  readonly note: (offset: number) => Note | undefined
  readonly ports: ReceivePorts
}

/** Writes content to its place, and notes from time to time how far it is. */
async function save({ format, chunks }: RecognizedDisk, { target, isContinued, start, note, ports }: SaveOptions): Promise<void> {
  const isRaw = format === 'raw'
  const { background, time, noteBytes = usualNoteBytes, noteMs = usualNoteMs } = ports
  // The storage gets a raw disk as it arrives, as it must have all of it at the end.
  const betweenMs = isRaw ? 0 : noteMs
  const file = isRaw ? await target.open(isContinued) : await target.openDownload(isContinued)
  try {
    const size = isRaw ? target.size : imageSize(target.size)
    const hasHoles = target.driver === 'file' || !isRaw
    const writer = createSparseWriter(file, { position: start, size, hasHoles })
    let noted = start
    let notedAt = time.now()
    const noteInBackground = async (): Promise<void> => {
      await writer.flush()
      noted = writer.position
      notedAt = time.now()
      const next = note(noted)
      if (next === undefined && !isRaw) return
      if (!target.isDevice || !isRaw) await growTo(file, noted)
      background.start(async () => {
        await file.datasync()
        if (next !== undefined) await target.note.write(next)
      })
    }
    try {
      for await (const chunk of chunks) {
        ports.signal.throwIfAborted()
        await writer.write(chunk)
        if (writer.position - noted < noteBytes || background.isBusy || time.now() - notedAt < betweenMs) continue
        await noteInBackground()
      }
    } catch (error) {
      // What has arrived is kept: the next run goes on there. The first error is the one to tell.
      await background[Symbol.asyncDispose]()
      if (writer.position > noted) await noteInBackground().catch(() => {})
      throw error
    }
    await background.end()
    await writer.flush()
    if (!target.isDevice || !isRaw) await file.truncate(writer.position)
  } finally {
    await background[Symbol.asyncDispose]()
    await file.close()
  }
}

/** An image has tables beside its data. */
function imageSize({ largest }: DiskSize): DiskSize {
  const bytes = largest + Math.ceil(largest / 16) + 64 * 1024 * 1024
  return { usual: bytes, largest: bytes }
}

async function growTo(file: FileHandle, bytes: number): Promise<void> {
  if ((await file.stat()).size < bytes) await file.truncate(bytes)
}

/** Converts the download to the disk, and returns the size of that. */
async function convert(format: DiskFormat, target: Target, ports: FillPorts): Promise<number> {
  ports.progress.stage('Converting')
  ports.progress.expect(100)
  const { virtualBytes } = await inspectImage(target.download, format, ports)
  requireRoom(virtualBytes, target.size)
  // A file that a killed run has left begins anew.
  await (await target.open(false)).close()
  const disk = { path: target.disk, driver: target.driver, isKept: target.isDevice, bytes: Math.max(virtualBytes, target.size.usual) }
  await together(ports.signal, [
    (signal) => convertImage({ path: target.download, format }, disk, { ...ports, signal }, (percent) => ports.progress.at(percent)),
    // Its tables are checked beside: a damaged image becomes no disk either way.
    ...(format === 'qcow2' ? [(signal: AbortSignal) => checkImage(target.download, { ...ports, signal })] : []),
  ])
  return virtualBytes
}

/**
 * Runs programs at the same time, and waits for the end of all. The first that fails ends the
 * others, and its error is thrown.
 */
async function together(signal: AbortSignal, programs: readonly ((signal: AbortSignal) => Promise<void>)[]): Promise<void> {
  const failed = new AbortController()
  const both = AbortSignal.any([signal, failed.signal])
  await Promise.all(programs.map((run) => run(both).catch((error: unknown) => failed.abort(error))))
  both.throwIfAborted()
}
