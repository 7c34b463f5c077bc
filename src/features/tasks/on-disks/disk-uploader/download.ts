import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { downloadDisk, ImportFailure } from '#importer/index.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import type { TaskContext } from '../../task.ts'
import type { OpenExport } from './export.ts'
import { createReporter, megabytes } from './reporter.ts'

/** Header of the token. KubeVirt's. */
const tokenHeader = 'x-kubevirt-export-token'

/** Downloads the disk of an export as a qcow2, and returns its path. @throws TaskFailed */
export async function downloadImage(context: TaskContext, opened: OpenExport): Promise<string> {
  const { directory, log, runCommand, signal } = context
  const [raw, image] = [join(directory, 'disk.raw'), join(directory, 'disk.qcow2')]
  const bytes = await downloadFromOne(context, opened, raw)
  log(`Downloaded a disk of ${megabytes(bytes)}`)
  const { code, lastLines = '' } = await runCommand(['qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', raw, image], {
    signal,
    keepsLastLines: true,
  })
  await rm(raw, { force: true })
  if (code !== 0) throw new TaskFailed(exitCodes.failed, `qemu-img ended with exit code ${code}: ${lastLines}`)
  return image
}

/** Goes the first way that leads to the server. */
async function downloadFromOne(context: TaskContext, { links, token }: OpenExport, file: string): Promise<number> {
  const { clock, environment, log, signal } = context
  const problems: string[] = []
  for (const { side, url, certificates } of links) {
    const tell = createReporter(clock, log)
    try {
      return await downloadDisk({
        url,
        headers: { [tokenHeader]: token },
        authorities: [certificates],
        file,
        signal,
        // A proxy does not lead to what is within the cluster.
        proxies: side === 'internal' ? {} : environment,
        onBytes: (bytes) => tell(() => `Downloading the disk: ${megabytes(bytes)}`),
      })
    } catch (error) {
      if (!(error instanceof ImportFailure)) throw error
      problems.push(error.message)
      if (error.reason !== 'SourceUnreachable') break
      log(`The ${side} address does not lead to the disk: ${error.message}`)
    }
  }
  throw new TaskFailed(exitCodes.failed, `Cannot download the disk: ${problems.join('; ')}`)
}
