import { open, rm } from 'node:fs/promises'
import type { ImportResult, ImportTask } from '../task/task.ts'
import type { FillPorts } from './fill-disk.ts'
import { finishDisk } from './finish.ts'
import { convertImage } from './qemu-img.ts'
import type { Target } from './target.ts'

/** Makes a disk of zeros. A device may have old content, which is overwritten. */
export async function blankDisk(
  { preallocation }: Pick<ImportTask, 'preallocation'>,
  target: Target,
  ports: FillPorts,
): Promise<ImportResult> {
  await target.clean()
  await (await target.open(false)).close()
  if (target.driver === 'host_device') await overwrite(target, ports)
  ports.progress.stage('Finishing')
  return finishDisk(target, { bytes: target.size.usual, preallocation, labels: {} }, ports)
}

/** QEMU knows how devices write zeros without sending them. */
async function overwrite(target: Target, ports: FillPorts): Promise<void> {
  ports.progress.stage('Copying')
  ports.progress.expect(100)
  const zeros = await open(target.download, 'wx')
  try {
    await zeros.truncate(target.size.usual)
    const disk = { path: target.disk, driver: target.driver, isKept: true, bytes: target.size.usual }
    await convertImage({ path: target.download, format: 'raw' }, disk, ports, (percent) => ports.progress.at(percent))
  } finally {
    await zeros.close()
    await rm(target.download, { force: true })
  }
}
