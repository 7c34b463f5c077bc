import { chmod, constants, copyFile, mkdir, opendir, readlink, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FillPorts } from '../disk/fill-disk.ts'
import type { Target } from '../disk/target.ts'
import { ImportFailure } from '../failure.ts'
import type { ImportResult } from '../task/task.ts'
import { fillFolder, isOwn } from './fill-folder.ts'

/** Copies the files of another volume. Links stay links, and devices and sockets are left out. */
export async function cloneFolder(path: string, target: Target, ports: FillPorts): Promise<ImportResult> {
  if ((await stat(path).catch(() => undefined))?.isDirectory() !== true)
    throw new ImportFailure('SourceNotFound', `Cannot clone the folder "${path}": there is none; mount the source volume there`, {
      fatal: false,
    })
  return fillFolder({ fill: (folder) => copyFolder(path, folder, ports) }, target, ports)
}

async function copyFolder(from: string, to: string, ports: FillPorts): Promise<void> {
  ports.progress.stage('Copying')
  const copy = async (source: string, copied: string, isRoot: boolean): Promise<void> => {
    for await (const entry of await opendir(source)) {
      ports.signal.throwIfAborted()
      if (isRoot && isOwn(entry.name)) continue
      const [one, other] = [join(source, entry.name), join(copied, entry.name)]
      if (entry.isSymbolicLink()) await symlink(await readlink(one), other)
      else if (entry.isFile()) await copyFile(one, other, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
      else if (entry.isDirectory()) {
        await mkdir(other, { mode: 0o700 })
        await copy(one, other, false)
        await chmod(other, ((await stat(one)).mode & 0o777) | 0o700)
      }
    }
  }
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { mode: 0o700 })
  await copy(from, to, true)
}
