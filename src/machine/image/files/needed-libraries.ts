import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { MachineFileMissing } from './machine-files.ts'

/**
 * Lists the shared libraries that the dynamic linker loads for programs and libraries, and the
 * linker itself; sorted. Libraries that a program opens later by name are not known to it.
 * @throws MachineFileMissing
 */
export async function sharedLibrariesOf(files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map(async (file) => parseLdd(file, await runLdd(file))))
  return [...new Set(found.flat())].toSorted()
}

/**
 * Lists the libraries that the C library opens by name to resolve host names: they are not among
 * those of a program, and are needed before glibc 2.34. Empty where the C library has no such
 * files.
 */
export async function nameServiceLibraries(libraries: readonly string[]): Promise<readonly string[]> {
  const folder = dirname(libraries.find((path) => basename(path) === 'libc.so.6') ?? '/nothing/libc.so.6')
  const paths = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'].map((name) => join(folder, name))
  const isThere = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  )
  return paths.filter((_, index) => isThere[index])
}

/**
 * Parses the output of `ldd`: `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)`. The kernel's
 * vDSO has no file. Empty for a static program. @throws MachineFileMissing
 */
export function parseLdd(file: string, output: string): readonly string[] {
  const lost = /^\s*(\S+) => not found$/m.exec(output)?.[1]
  if (lost !== undefined)
    throw new MachineFileMissing(`"${file}" needs "${lost}", which is not on this machine: install the package that has it`)
  return [...output.matchAll(/(?:=>\s+|^\s*)(\/\S+)\s+\(0x[0-9a-f]+\)$/gm)].map((match) => match[1] ?? '')
}

async function runLdd(file: string): Promise<string> {
  // The image has the linker's default paths only.
  const { LD_LIBRARY_PATH: _, LD_PRELOAD: __, ...environment } = process.env
  try {
    return (await promisify(execFile)('ldd', [file], { env: { ...environment, LC_ALL: 'C' } })).stdout
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string }
    if (/not a dynamic executable/.test(stdout + stderr)) return ''
    if (code === 'ENOENT')
      throw new MachineFileMissing('Cannot find the libraries of programs: install "ldd" with "apt-get install libc-bin"')
    throw new MachineFileMissing(`Cannot find the libraries of "${file}": ldd says "${(stderr || stdout).trim()}"`, { cause: error })
  }
}
