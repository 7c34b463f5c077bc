import { statSync } from 'node:fs'
import { execute } from '../host/host.ts'

interface LoopDevice {
  readonly name: string
  readonly 'back-file': string
  readonly 'back-ino': number
  readonly 'back-maj:min': string
}

/** Returns the loop device of a file; attaches one if there is none. */
export async function attachLoopDevice(file: string): Promise<string> {
  const found = (await loopDevices()).find((device) => device['back-file'] === file)
  return found?.name ?? (await execute(['losetup', '--find', '--show', file])).trim()
}

/** Gives a loop device the size of its file. */
export async function resizeLoopDevice(name: string): Promise<void> {
  await execute(['losetup', '--set-capacity', name])
}

/** Detaches the loop device of a file, if there is one: as soon as it is not in use. */
export async function detachLoopDevice(file: string): Promise<void> {
  const found = (await loopDevices()).find((device) => device['back-file'] === file)
  if (found !== undefined) await execute(['losetup', '--detach', found.name])
}

/**
 * Detaches the loop devices of files in a folder, and those that kubelets have put on top of them
 * in their own mount namespaces: these are recognized by the inode of the device below.
 */
export async function detachLoopDevices(folder: string): Promise<void> {
  const all = await loopDevices()
  const own = all.filter((device) => device['back-file'].startsWith(`${folder}/`))
  const inodes = new Set(own.map(({ name }) => statSync(name).ino))
  const inDev = deviceNumber(statSync('/dev').dev)
  const onTop = all.filter((device) => device['back-maj:min'].trim() === inDev && inodes.has(device['back-ino']))
  for (const { name } of [...onTop, ...own]) await execute(['losetup', '--detach', name])
}

async function loopDevices(): Promise<readonly LoopDevice[]> {
  const text = await execute(['losetup', '--list', '--json', '--output', 'NAME,BACK-FILE,BACK-INO,BACK-MAJ:MIN'])
  return text.trim() === '' ? [] : (JSON.parse(text) as { loopdevices: LoopDevice[] }).loopdevices
}

/** Writes a device number as losetup does. */
function deviceNumber(number: number): string {
  return `${(number >> 8) & 0xfff}:${(number & 0xff) | ((number >> 12) & 0xfff00)}`
}
