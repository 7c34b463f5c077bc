import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ArchiveEntry } from './cpio.ts'
import type { KernelModules } from './kernel-modules.ts'

/** Libraries that the SSH server is linked with, and the program that loads them. */
const libraries = ['libtomcrypt.so.1', 'libtommath.so.1', 'libgmp.so.10', 'libz.so.1', 'libcrypt.so.1', 'libc.so.6']
const [server, loader] = ['dropbear', 'ld-linux-x86-64.so.2'] as const
const libraryFolder = 'lib/x86_64-linux-gnu'

/**
 * Returns what a guest with an SSH server has in addition: the server, its libraries, the script
 * that starts it, and the driver of the disk with its keys. Undefined when the packages are not
 * unpacked at `directory`.
 */
export async function sshServerEntries(directory: string, script: Uint8Array, modules: KernelModules): Promise<ArchiveEntry[] | undefined> {
  const files = new Map<string, string>()
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (!entry.isDirectory()) files.set(entry.name, join(entry.parentPath, entry.name))
  const wanted = [server, loader, ...libraries]
  if (wanted.some((name) => !files.has(name))) return undefined
  const drivers = await modules.resolve(['isofs'])
  const read = async (path: string, name: string, executable: boolean): Promise<ArchiveEntry> => ({
    kind: 'file',
    path,
    content: await readFile(files.get(name) ?? ''),
    executable,
  })
  return [
    ...['root', 'lib64', libraryFolder, 'etc/dropbear', 'mnt/seed'].map((path) => ({ kind: 'directory' as const, path })),
    await read(`bin/${server}`, server, true),
    await read(`lib64/${loader}`, loader, true),
    ...(await Promise.all(libraries.map((name) => read(`${libraryFolder}/${name}`, name, false)))),
    ...(await Promise.all(
      drivers.map(async ({ path }): Promise<ArchiveEntry> => {
        return { kind: 'file', path: `lib/modules/${basename(path)}`, content: await readFile(path), executable: false }
      }),
    )),
    {
      kind: 'file',
      path: 'lib/modules/seed-order',
      content: Buffer.from(drivers.map(({ path }) => `${basename(path)}\n`).join('')),
      executable: false,
    },
    { kind: 'file', path: 'bin/ssh-server', content: script, executable: true },
    { kind: 'file', path: 'etc/passwd', content: Buffer.from('root::0:0:root:/root:/bin/sh\n'), executable: false },
    { kind: 'file', path: 'etc/group', content: Buffer.from('root:x:0:\n'), executable: false },
    { kind: 'file', path: 'etc/shells', content: Buffer.from('/bin/sh\n'), executable: false },
  ]
}
