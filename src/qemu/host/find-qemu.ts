import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { QemuUnavailable } from './capabilities.ts'

/** Name of the binary for x86-64 guests. */
const BINARY = 'qemu-system-x86_64'

/** Finds QEMU in the folders of a PATH. @throws QemuUnavailable with the command that installs it */
export async function findQemu(path: string | undefined): Promise<string> {
  for (const folder of (path ?? '').split(delimiter).filter((name) => name !== '')) {
    const candidate = join(folder, BINARY)
    if (await isExecutable(candidate)) return candidate
  }
  throw new QemuUnavailable(`Cannot find "${BINARY}" on PATH: install it with "apt-get install qemu-system-x86 qemu-utils"`)
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
