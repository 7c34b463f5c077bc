import { constants, lstat, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { copyBlocks, shareBlocks } from '#qemu/index.ts'
import { ImportFailure } from '../failure.ts'
import type { CloneSource, ImportResult, ImportTask } from '../task/task.ts'
import { createBackground } from './background.ts'
import { requireDevice } from './device-access.ts'
import type { FillPorts } from './fill-disk.ts'
import { blankDisk } from './blank-disk.ts'
import { fileStamp } from './file-stamp.ts'
import { finishDisk } from './finish.ts'
import { convertImage, inspectImage } from './qemu-img.ts'
import type { Target } from './target.ts'
import { requireRoom } from './volume-size.ts'

/** Copies the disk of another volume: by the file system, if it can do that, else by QEMU. */
export async function cloneDisk(
  { path }: CloneSource,
  { preallocation }: Pick<ImportTask, 'preallocation'>,
  target: Target,
  ports: FillPorts,
): Promise<ImportResult> {
  if (await isUnused(path)) return blankDisk({ preallocation }, target, ports)
  const driver = await sourceDriver(path)
  const bytes = driver === 'file' ? (await stat(path)).size : (await inspectImage(path, 'raw', ports, driver)).virtualBytes
  requireRoom(bytes, target.size)
  await target.clean()
  const stamp = await fileStamp(path)
  ports.progress.stage('Copying')
  const isOfFiles = driver === 'file' && target.driver === 'file'
  if (!isOfFiles || !(await copyFile(path, bytes, target, ports))) {
    ports.progress.expect(100)
    await (await target.open(false)).close()
    const disk = { path: target.disk, driver: target.driver, isKept: target.isDevice, bytes: Math.max(bytes, target.size.usual) }
    await convertImage({ path, format: 'raw', driver }, disk, ports, (percent) => ports.progress.at(percent))
  }
  await requireUnchanged(path, stamp, target)
  ports.progress.stage('Finishing')
  return finishDisk(target, { bytes, preallocation, labels: {} }, ports)
}

/** A guest that was started meanwhile makes a copy of no instant. @throws ImportFailure */
async function requireUnchanged(path: string, stamp: string | undefined, target: Target): Promise<void> {
  if ((await fileStamp(path)) === stamp) return
  await target.clean()
  throw new ImportFailure('SourceChanged', `The disk "${path}" was written to while it was copied: stop what uses its volume`)
}

/** Reports whether no guest has used a volume yet: its disk is made when the first one starts. */
async function isUnused(path: string): Promise<boolean> {
  if (basename(path) !== 'disk.img') return false
  const names = await readdir(dirname(path)).catch(() => undefined)
  return names?.every((name) => name === 'lost+found') === true
}

/** @throws ImportFailure */
async function sourceDriver(path: string): Promise<'file' | 'host_device'> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile() === true) return 'file'
  if (found?.isBlockDevice() === true) {
    await requireDevice(path, 'read')
    return 'host_device'
  }
  const what = found === undefined ? 'there is nothing' : 'it is neither a file nor a device'
  throw new ImportFailure('SourceNotFound', `Cannot clone the disk "${path}": ${what}; mount the source volume there`, { fatal: false })
}

/** What is made lasting in one go, while more is copied. */
const lastingBytes = 64 << 20

/**
 * Lets a file share the blocks of the other one, or else copies them within the kernel. False where
 * the file systems can do neither.
 */
async function copyFile(path: string, bytes: number, target: Target, { progress, signal }: FillPorts): Promise<boolean> {
  await using source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  await using file = await target.open(false)
  if (shareBlocks(source, file)) return true
  progress.expect(bytes)
  await using background = createBackground()
  let lasting = 0
  const onCopied = (position: number): void => {
    progress.at(position)
    if (background.isBusy || position - lasting < lastingBytes) return
    lasting = position
    background.start(() => file.datasync())
  }
  const isCopied = await copyBlocks(source, file, bytes, { signal, onCopied })
  await background.end()
  return isCopied
}
