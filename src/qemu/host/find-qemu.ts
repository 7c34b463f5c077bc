import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { QemuUnavailable } from './capabilities.ts'

/** Name of the binary for x86-64 guests. */
const BINARY = 'qemu-system-x86_64'

/**
 * Finds QEMU in the folders of a PATH. @throws QemuUnavailable with the command that installs it
 */
export async function findQemu(path: string | undefined): Promise<string> {
  const binary = await findProgram(BINARY, path)
  if (binary !== undefined) return binary
  throw new QemuUnavailable(`Cannot find "${BINARY}" on PATH: install it with "apt-get install qemu-system-x86 qemu-utils"`)
}

/**
 * Finds the QEMU of a release: the one in its folder's `bin`, and no other. @throws QemuUnavailable
 */
export async function findQemuIn(folder: string): Promise<string> {
  const binary = join(folder, 'bin', BINARY)
  if (await isExecutable(binary)) return binary
  throw new QemuUnavailable(`Cannot find "${BINARY}" in "${join(folder, 'bin')}": the release is not complete`)
}

/** The first program of that name in the folders of a PATH. */
export async function findProgram(name: string, path: string | undefined): Promise<string | undefined> {
  for (const folder of (path ?? '').split(delimiter).filter((each) => each !== '')) {
    const candidate = join(folder, name)
    if (await isExecutable(candidate)) return candidate
  }
  return undefined
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
