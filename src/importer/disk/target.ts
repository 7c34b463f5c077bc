import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ImportFailure } from '../failure.ts'
import type { ImportTask } from '../task/task.ts'
import { requireDevice } from './device-access.ts'
import { createNoteFile, type NoteFile, syncFolder } from './note.ts'
import { type DiskSize, diskSize } from './volume-size.ts'

/** Name of the disk in a file system, as in KubeVirt. Any other target is a device. */
const diskName = 'disk.img'

/** The volume that a task fills. */
export interface Target {
  /** Where the disk is written: beside its name for a file, which gets it by a rename. */
  readonly disk: string
  /** Where an image is kept that must be converted. */
  readonly download: string
  readonly note: NoteFile
  readonly size: DiskSize
  /** QEMU's driver for the disk. */
  readonly driver: 'file' | 'host_device'
  /** The disk has its name already, and other programs may have it open or mounted. */
  readonly isDevice: boolean
  /** The folder of the disk. */
  readonly folder: string
  /** Opens the disk: a new one, or an earlier one to be continued. */
  open(isContinued: boolean): Promise<FileHandle>
  /** Opens the download in the same way. */
  openDownload(isContinued: boolean): Promise<FileHandle>
  /** Bytes of a file that are there; zero without one. */
  bytesOf(path: string): Promise<number>
  /** Gives the disk its name. */
  publish(): Promise<void>
  /** Removes everything but the disk and the note. */
  clean(): Promise<void>
  /** @throws ImportFailure when there is something that this task did not write */
  requireEmpty(): Promise<void>
  isPublished(): Promise<boolean>
}

/**
 * Opens a target. `scratch` is a folder for downloads and, for devices, notes; without one they are
 * beside the disk. @throws ImportFailure
 */
export async function openTarget(
  task: ImportTask,
  scratch: { readonly mounted: string | undefined; readonly temporary: string },
): Promise<Target> {
  const path = task.target
  const found = await stat(path).catch(() => undefined)
  const isDevice = basename(path) !== diskName
  if (isDevice && found?.isBlockDevice() !== true && found?.isFile() !== true)
    throw new ImportFailure('TargetUnusable', `There is no device "${path}": mount the volume there`)
  const folder = dirname(path)
  if (!isDevice && (await stat(folder).catch(() => undefined))?.isDirectory() !== true)
    throw new ImportFailure('TargetUnusable', `There is no folder "${folder}": mount the volume there`)
  const isBlockDevice = found?.isBlockDevice() === true
  if (isBlockDevice) await requireDevice(path, 'write')
  const beside = isDevice ? (scratch.mounted ?? scratch.temporary) : folder
  const hidden = (where: string, what: string): string => join(where, `.${basename(path)}.${what}`)
  const disk = isDevice ? path : hidden(folder, 'partial')
  const download = hidden(scratch.mounted ?? beside, 'download')
  const size = diskSize(task, isDevice)
  return {
    disk,
    download,
    folder,
    size,
    isDevice,
    driver: isBlockDevice ? 'host_device' : 'file',
    note: createNoteFile(hidden(beside, 'import'), task),
    async open(isContinued) {
      if (!isDevice) return openFile(disk, isContinued)
      const file = await open(disk, constants.O_RDWR)
      // On one machine, a device is a file. What is in it reads as zeros after this.
      if (!isContinued && !isBlockDevice) {
        await file.truncate(0)
        await file.truncate(size.usual)
      }
      return file
    },
    openDownload: (isContinued) => openFile(download, isContinued),
    async bytesOf(file) {
      const state = await lstat(file).catch(() => undefined)
      if (isDevice && file === disk) return size.usual
      return state?.isFile() === true ? state.size : 0
    },
    async publish() {
      if (isDevice) return
      if ((await lstat(disk).catch(() => undefined)) !== undefined) await rename(disk, path)
      await syncFolder(folder)
    },
    async clean() {
      await rm(download, { force: true })
      if (!isDevice) await rm(disk, { force: true })
    },
    async requireEmpty() {
      if (isDevice) return
      const there = await lstat(path).catch(() => undefined)
      // A file without data is what a new volume may have.
      if (there === undefined || (there.isFile() && there.blocks === 0)) return
      throw new ImportFailure(
        'TargetNotEmpty',
        `The volume has a disk that is not of this source: it is left alone; use an empty claim, or delete "${diskName}" in this one`,
      )
    },
    isPublished: async () =>
      isDevice ||
      ((await lstat(path).catch(() => undefined))?.isFile() === true && (await lstat(disk).catch(() => undefined)) === undefined),
  }
}

/** Links are not followed: other pods may write to the volume. */
async function openFile(path: string, isContinued: boolean): Promise<FileHandle> {
  if (isContinued) return open(path, constants.O_RDWR | constants.O_NOFOLLOW)
  await rm(path, { force: true, recursive: true })
  return open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o660)
}
